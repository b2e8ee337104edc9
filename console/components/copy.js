// Text that can be copied.

import { html, useState } from '../app/html.js';

/** @param {{ text: string, label?: string }} props */
export function CopyButton({ text, label = 'Copy' }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text).catch(() => selectAndCopy(text));
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return html`<button class="button quiet" type="button" onClick=${copy}>
    <span aria-live="polite">${copied ? 'Copied' : label}</span>
  </button>`;
}

/**
 * Copies without the clipboard API, which browsers offer on secure origins only.
 * @param {string} text
 */
function selectAndCopy(text) {
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

/** @param {{ text: string, label: string }} props */
export function Secret({ text, label }) {
  return html`<div class="secret">
    <label>${label}<input readonly value=${text} onFocus=${(/** @type {any} */ event) => event.target.select()} /></label>
    <${CopyButton} text=${text} />
  </div>`;
}

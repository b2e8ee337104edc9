// What was said, by time.

import { position } from '../app/format.js';
import { html } from '../app/html.js';

/** @param {{ index: import('../app/space-document.js').DocumentIndex, open: (frame: string) => void }} props */
export function Transcript({ index, open }) {
  const { document: space } = index;
  const frameAt = (/** @type {number} */ ms) => {
    const distance = (/** @type {number | null | undefined} */ at) => Math.abs((at ?? 0) - ms);
    return [...space.frames].sort((a, b) => distance(a.t_ms) - distance(b.t_ms))[0];
  };
  if (space.narration.length === 0) return html`<p class="muted">Nothing was said, or no configured model understands the language.</p>`;
  return html`<ol class="transcript">
    ${space.narration.map(
      ({ id, start_ms, text, zone_id }) => html`<li key=${id} class=${index.color(zone_id)}>
        <button class="link" type="button" onClick=${() => open(frameAt(start_ms)?.id ?? '')}>${position(start_ms)}</button>
        <span>${text}</span>
      </li>`,
    )}
  </ol>`;
}

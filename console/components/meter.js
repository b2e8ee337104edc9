// Bars: progress of a task, and a part of a limit.

import { html } from '../app/html.js';

/** @param {{ label: string, value: number, text?: string, tone?: string }} props `value` is between 0 and 1 */
export function Meter({ label, value, text, tone = '' }) {
  const percent = Math.max(0, Math.min(100, Math.round(value * 100)));
  return html`<div class="meter ${tone}">
    <div class="labels"><span>${label}</span><span class="muted">${text ?? `${percent} %`}</span></div>
    <div class="track" role="progressbar" aria-label=${label} aria-valuemin="0" aria-valuemax="100" aria-valuenow=${percent}>
      <div class="fill" style=${{ width: `${percent}%` }}></div>
    </div>
  </div>`;
}

// The stages of a scan: what each does, when it began, and how far the current one is.

import { position, words } from '../app/format.js';
import { html } from '../app/html.js';
import { Meter } from './meter.js';

/** @typedef {import('../app/types.js').Scan} Scan */

/** Stages in order, with what each does. */
const STAGES = [
  ['ingesting', 'Ingesting', 'Checks the media and selects frames'],
  ['observing', 'Observing', 'Finds objects, reads signs, listens to speech'],
  ['fusing', 'Fusing', 'Combines the frames into zones, objects and texts'],
  ['enriching', 'Enriching', 'Measures, relates and summarizes'],
  ['saving', 'Saving', 'Writes the document'],
];

/** @param {{ scan: Scan }} props */
export function ScanStages({ scan }) {
  const began = new Map(scan.timeline.filter(({ stage }) => stage).map(({ stage, at }) => [stage, at]));
  const ended = scan.finished_at;
  const order = STAGES.filter(([stage]) => began.has(/** @type {any} */ (stage))).map(([stage]) => stage);
  const running = scan.status === 'processing' || scan.status === 'queued';
  return html`<ol class="stages" aria-label="Stages">
    ${STAGES.map(([stage, name, about]) => {
      const at = began.get(/** @type {any} */ (stage));
      const next = order[order.indexOf(stage) + 1];
      const until = next ? began.get(/** @type {any} */ (next)) : ended;
      const isLast = order[order.length - 1] === stage;
      const state = !at ? 'later' : !isLast || scan.status === 'complete' ? 'done' : running ? 'now' : 'stopped';
      return html`<li key=${stage} class=${state} aria-current=${state === 'now' ? 'step' : undefined}>
        <span class="marker" aria-hidden="true"></span>
        <div>
          <strong>${name}</strong>
          <span class="muted">${about}</span>
          ${state === 'now' && html`<${Meter} label=${words(stage)} value=${scan.progress?.fraction ?? 0} />`}
        </div>
        <span class="muted small">${at && until ? position(Math.max(0, Date.parse(until) - Date.parse(at))) : ''}</span>
      </li>`;
    })}
  </ol>
  <p class="visually-hidden" role="status">${running ? `${words(scan.stage ?? scan.status)}` : words(scan.status)}</p>`;
}

// Labels of a status, in a colour and in words.

import { html } from '../app/html.js';
import { words } from '../app/format.js';

/** @type {Record<string, string>} */
const TONES = {
  complete: 'good', delivered: 'good', succeeded: 'good', active: 'good', enabled: 'good', answered: 'good',
  failed: 'bad', declined: 'bad', revoked: 'bad', disabled: 'bad', expired: 'bad', removed: 'bad',
  queued: 'busy', processing: 'busy', pending: 'busy', needs_action: 'warning', partial: 'warning',
  awaiting_upload: 'warning', changed: 'warning', moved: 'warning', count_changed: 'warning', added: 'good',
};

/** @param {{ status: string, text?: string }} props */
export function Badge({ status, text }) {
  return html`<span class="badge ${TONES[status] ?? 'neutral'}">${text ?? words(status)}</span>`;
}

/** @type {Record<string, string>} */
const BASES = {
  observed: 'Seen in the pictures',
  read: 'Read in the pictures',
  spoken: 'Said in the recording',
  inferred: 'Inferred from other findings',
  user: 'Corrected by you',
};

/**
 * Confidence and basis of a claim.
 * @param {{ confidence: number, basis: string }} props
 */
export function Confidence({ confidence, basis }) {
  const level = confidence >= 0.7 ? 'high' : confidence >= 0.4 ? 'medium' : 'low';
  const percent = Math.round(confidence * 100);
  return html`<span class="confidence ${level}" title=${`${BASES[basis] ?? basis}, confidence ${percent} %`}>
    <span class="dot" aria-hidden="true"></span>${words(basis)} · ${percent} %
  </span>`;
}

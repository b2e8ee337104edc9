// A zone: its type and why, light and colours, objects, texts, and what was said in it.

import { percent, plural, words } from '../app/format.js';
import { html, useState } from '../app/html.js';
import { bestEvidence, objectsOf } from '../app/space-document.js';
import { Confidence } from './badge.js';
import { FrameImage } from './frame-image.js';

/** @typedef {import('../app/space-document.js').DocumentIndex} DocumentIndex */
/** @typedef {import('../app/types.js').Zone} Zone */

/** Attributes for readers; the others are numbers for comparisons. */
const SHOWN_ATTRIBUTES = ['light', 'dominant_colours'];
/** Objects or texts of a card before "and more". */
const SHOWN_CHIPS = 20;

/** @param {{ index: DocumentIndex, zone: Zone, open: (frame: string, claim?: string) => void }} props */
export function ZoneCard({ index, zone, open }) {
  const { document: space } = index;
  const best = index.frames.get(zone.best_frame_id);
  const objects = objectsOf(space).filter(({ zone_id }) => zone_id === zone.id);
  const texts = space.texts.filter(({ zone_id }) => zone_id === zone.id);
  const said = space.narration.filter(({ zone_id }) => zone_id === zone.id);
  const type = zone.types[0];
  return html`<article id=${`zone-${zone.id}`} tabindex="-1" class="card zone-card ${index.color(zone.id)}">
    <button class="cover" type="button" aria-label=${`Open the best frame of ${zone.label}`} onClick=${() => open(zone.best_frame_id)}>
      <${FrameImage} url=${best?.url} alt="" width=${best?.width} height=${best?.height} />
    </button>
    <div class="zone-body">
      <h3>${zone.label}</h3>
      ${type && html`<p><${Confidence} confidence=${type.confidence} basis=${type.basis} /> <span class="muted small">${reason(index, type)}</span></p>`}
      <p class="muted small">
        ${zone.attributes.filter(({ name }) => SHOWN_ATTRIBUTES.includes(name)).map(({ claim }) => words(claim.value)).join(' · ')}
        ${` · ${percent(zone.coverage)} covered`}
      </p>
      ${objects.length > 0 &&
      html`<h4>Objects</h4>
        <${Chips} chips=${objects.map(({ category, count }) => ({ claim: category.id, text: `${countOf(count)}${category.value}` }))} index=${index} open=${open} />`}
      ${texts.length > 0 &&
      html`<h4>Texts</h4>
        <${Chips} class="texts" chips=${texts.map(({ raw, claim }) => ({ claim: claim.id, text: raw }))} index=${index} open=${open} />`}
      ${said.length > 0 &&
      html`<h4>Said here</h4>
        ${said.slice(0, 4).map(({ id, text }) => html`<blockquote key=${id}>${text}</blockquote>`)}
        ${said.length > 4 && html`<p class="muted small">and ${plural(said.length - 4, 'more sentence', 'more sentences')} in the transcript</p>`}`}
    </div>
  </article>`;
}

/**
 * The first claims of a list, and all on demand.
 * @param {{ chips: { claim: string, text: string }[], index: DocumentIndex,
 *   open: (frame: string, claim?: string) => void, class?: string }} props
 */
function Chips({ chips, index, open, class: name = '' }) {
  const [all, setAll] = useState(false);
  const shown = all ? chips : chips.slice(0, SHOWN_CHIPS);
  const more = chips.length - shown.length;
  return html`<ul class="chips ${name}">
    ${shown.map(({ claim, text }) => html`<li key=${claim}><${ClaimChip} index=${index} id=${claim} open=${open}>${text}<//></li>`)}
    ${more > 0 && html`<li><button class="link small" type="button" onClick=${() => setAll(true)}>and ${more} more</button></li>`}
  </ul>`;
}

/**
 * Opens the best frame of a claim.
 * @param {{ index: DocumentIndex, id: string, open: (frame: string, claim?: string) => void, children?: unknown }} props
 */
export function ClaimChip({ index, id, open, children }) {
  const shown = index.byId.get(id);
  const frame = shown ? bestEvidence(shown, index.frames)?.frame_id : null;
  const percentage = shown ? percent(shown.claim.confidence) : '';
  if (!frame) return html`<span class="chip" title=${percentage}>${children}</span>`;
  return html`<button class="chip" type="button" title=${`Confidence ${percentage}: show the frame`} onClick=${() => open(frame, id)}>${children}</button>`;
}

/** @param {{ min: number, best: number, max: number }} count */
function countOf({ min, best, max }) {
  if (max <= 1) return '';
  return min === max ? `${best} × ` : `${min}–${max} × `;
}

/**
 * Returns why a zone has its type.
 * @param {DocumentIndex} index
 * @param {import('../app/types.js').Claim} claim
 */
function reason(index, claim) {
  const spoken = claim.evidence.find(({ narration_id }) => narration_id);
  const sentence = spoken && index.document.narration.find(({ id }) => id === spoken.narration_id);
  if (sentence) return `“${sentence.text}”`;
  const frames = new Set(claim.evidence.map(({ frame_id }) => frame_id)).size;
  return frames ? `from ${frames} ${frames === 1 ? 'frame' : 'frames'}` : '';
}

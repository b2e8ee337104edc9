// Two frames: over each other with a slider if both scans have one, else the one there is.

import { html, useState } from '../app/html.js';
import { bestEvidence } from '../app/space-document.js';
import { FrameImage } from './frame-image.js';

/** @typedef {import('../app/types.js').Side} Side */

/** @param {{ before: Side | null, after: Side | null, name: string }} props */
export function Compare({ before, after, name }) {
  const [at, setAt] = useState(50);
  const [first, second] = [pictureOf(before), pictureOf(after)];
  if (!first && !second) return null;
  if (!first || !second) {
    const only = first ?? second;
    return html`<div class="compare single"><${Picture} picture=${only} label=${first ? 'Before' : 'After'} /></div>`;
  }
  return html`<div class="compare">
    <div class="sides">
      <${Picture} picture=${first} label="Before" />
      <div class="over" style=${{ clipPath: `inset(0 0 0 ${at}%)` }}><${Picture} picture=${second} label="After" /></div>
      <i class="divider" style=${{ left: `${at}%` }}></i>
    </div>
    <input
      type="range"
      min="0"
      max="100"
      value=${at}
      aria-label=${`Show more of the frame before or after: ${name}`}
      onInput=${(/** @type {any} */ event) => setAt(Number(event.target.value))}
    />
  </div>`;
}

/** @param {{ picture: any, label: string }} props */
function Picture({ picture, label }) {
  const boxes = picture.bbox ? [{ id: 'only', bbox: picture.bbox, label: `${label}: ${picture.value}`, selected: false }] : [];
  return html`<figure><${FrameImage} url=${picture.url} alt=${`${label}: ${picture.value}`} boxes=${boxes} /><figcaption>${label}</figcaption></figure>`;
}

/** @param {Side | null} side */
function pictureOf(side) {
  const best = side && bestEvidence(/** @type {any} */ (side));
  return best?.url ? { url: best.url, bbox: best.bbox, value: side?.value } : null;
}

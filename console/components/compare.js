// Two frames: over each other with a slider if both scans have one, else the one there is. Of several frames,
// those are shown in which the finding is at the most similar place, so that the slider changes little else.

import { html, useMemo, useState } from '../app/html.js';
import { bestEvidence } from '../app/space-document.js';
import { FrameImage } from './frame-image.js';

/** @typedef {import('../app/types.js').Side} Side */

/** @param {{ before: Side | null, after: Side | null, name: string }} props */
export function Compare({ before, after, name }) {
  const [at, setAt] = useState(50);
  const [first, second] = useMemo(() => picturesOf(before, after), [before, after]);
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

/** The pictures of both sides. @param {Side | null} before @param {Side | null} after */
function picturesOf(before, after) {
  const [first, second] = [shownBy(before), shownBy(after)];
  const pairs = first.flatMap((one) => second.map((other) => ({ one, other, distance: distanceOf(one.bbox, other.bbox) })));
  const closest = pairs.sort((a, b) => a.distance - b.distance)[0];
  if (closest) return [pictureOf(before, closest.one), pictureOf(after, closest.other)];
  return [pictureOf(before, bestOf(before)), pictureOf(after, bestOf(after))];
}

/** Evidence with a picture and a box. @param {Side | null} side */
function shownBy(side) {
  return (side?.evidence ?? []).filter(({ url, bbox }) => url && bbox);
}

/** How far two boxes are from each other, in place and size. @param {any} one @param {any} other */
function distanceOf(one, other) {
  return ['x', 'y', 'w', 'h'].reduce((sum, side) => sum + Math.abs(one[side] - other[side]), 0);
}

/** @param {Side | null} side */
function bestOf(side) {
  return side && bestEvidence(/** @type {any} */ (side));
}

/** @param {Side | null} side @param {any} evidence */
function pictureOf(side, evidence) {
  return evidence?.url ? { url: evidence.url, bbox: evidence.bbox, value: side?.value } : null;
}

// The walk from beginning to end: its zones in colours, and its frames.

import { position } from '../app/format.js';
import { html, useMemo } from '../app/html.js';
import { lengthOf, positionIn, toShare } from '../app/space-document.js';
import { FrameImage } from './frame-image.js';

/** Frames of the strip. More would be too small to recognize. */
const SHOWN_FRAMES = 12;

/** @param {{ index: import('../app/space-document.js').DocumentIndex, open: (frame: string) => void }} props */
export function WalkTimeline({ index, open }) {
  const { document: space } = index;
  const visits = useMemo(
    () =>
      space.zones
        .flatMap((zone) => zone.intervals.map(({ start, end }) => ({ zone, start, end })))
        .sort((a, b) => a.start - b.start),
    [space],
  );
  // In a shared document, some frames have no picture.
  const visible = useMemo(() => space.frames.filter(({ url }) => url), [space]);
  const frames = useMemo(() => sample(visible, SHOWN_FRAMES), [visible]);
  const isVideo = space.kind === 'video';
  const percent = (/** @type {number} */ value) => `${(value * 100).toFixed(2)}%`;
  const at = (/** @type {number} */ value) => (isVideo ? position(value) : `photo ${value + 1}`);
  const firstOf = (/** @type {number} */ start, /** @type {number} */ end) =>
    visible.find((frame) => {
      const value = isVideo ? (frame.t_ms ?? 0) : (frame.ordinal ?? 0);
      return value >= start && value <= end;
    });
  return html`<div class="timeline">
    <div class="film">
      ${frames.map(
        (frame) => html`<button key=${frame.id} type="button" class=${index.color(frame.zone_id)} onClick=${() => open(frame.id)}
          aria-label=${`Open the frame at ${at((isVideo ? frame.t_ms : frame.ordinal) ?? 0)}`}>
          <${FrameImage} url=${frame.url} alt="" width=${frame.width} height=${frame.height} />
        </button>`,
      )}
    </div>
    <div class="visits">
      ${visits.map(({ zone, start, end }) => {
        const left = toShare(space, start);
        const width = Math.max(0.01, toShare(space, end + (isVideo ? 0 : 1)) - left);
        const frame = firstOf(start, end)?.id ?? zone.best_frame_id;
        return html`<button
          key=${zone.id + start}
          type="button"
          class="visit ${index.color(zone.id)}"
          style=${{ left: percent(left), width: percent(width) }}
          title=${`${zone.label}, ${at(start)} to ${at(end)}`}
          onClick=${() => open(frame)}
        >
          <span>${zone.label}</span>
        </button>`;
      })}
      ${space.frames.map(
        (frame) => html`<i key=${frame.id} class="tick" style=${{ left: percent(positionIn(space, frame)) }}></i>`,
      )}
    </div>
    <div class="between muted small">
      <span>${isVideo ? '0:00' : 'First photo'}</span>
      <span>${space.frames.length} frames kept as evidence</span>
      <span>${isVideo ? position(lengthOf(space)) : `Photo ${lengthOf(space)}`}</span>
    </div>
  </div>`;
}

/**
 * Returns evenly spaced entries.
 * @template T
 * @param {T[]} list
 * @param {number} count
 */
function sample(list, count) {
  if (list.length <= count) return list;
  return Array.from({ length: count }, (_, place) => list[Math.round((place * (list.length - 1)) / (count - 1))]);
}

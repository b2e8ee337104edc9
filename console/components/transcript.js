// What was said, by time. While the video is kept and the browser can play it, the list follows the
// video, and the video plays from a sentence.

import { ownPath } from '../app/api.js';
import { position } from '../app/format.js';
import { html, useEffect, useRef, useState } from '../app/html.js';

/** @typedef {import('../app/types.js').Narration} Narration */
/** @typedef {{ index: import('../app/space-document.js').DocumentIndex, open: (frame: string) => void }} Props */

/** @param {Props} props */
export function Transcript({ index, open }) {
  const { media, narration } = index.document;
  const [unplayable, setUnplayable] = useState(false);
  const [current, setCurrent] = useState('');
  const player = useRef(/** @type {HTMLVideoElement | null} */ (null));
  const url = ownPath(media.find(({ kind }) => kind === 'video')?.url);
  const plays = url !== null && !unplayable;
  const follow = () => {
    const at = (player.current?.currentTime ?? 0) * 1000;
    setCurrent(narration.findLast(({ start_ms }) => start_ms <= at)?.id ?? '');
  };
  const play = (/** @type {number} */ ms) => {
    if (!player.current) return;
    player.current.currentTime = ms / 1000;
    void player.current.play().catch(() => {});
  };
  return html`<div class=${plays ? 'recording' : ''}>
    ${plays &&
    html`<video ref=${player} src=${url} controls playsinline preload="metadata" aria-label="Video of the walk" onTimeUpdate=${follow} onError=${() => setUnplayable(true)}></video>`}
    ${narration.length === 0
      ? html`<p class="muted">Nothing was said, or no configured model understands the language.</p>`
      : html`<${Sentences} index=${index} open=${open} current=${current} play=${plays ? play : null} />`}
  </div>`;
}

/** @param {Props & { current: string, play: ((ms: number) => void) | null }} props */
function Sentences({ index, open, current, play }) {
  const { narration, frames } = index.document;
  const list = useRef(/** @type {HTMLOListElement | null} */ (null));
  useEffect(() => {
    const item = list.current?.querySelector('[aria-current]');
    // Scrolls the list only, never the page.
    if (list.current && item instanceof HTMLElement) {
      list.current.scrollTop = item.offsetTop - list.current.offsetTop - list.current.clientHeight / 3;
    }
  }, [current]);
  const frameAt = (/** @type {number} */ ms) => {
    const distance = (/** @type {number | null | undefined} */ at) => Math.abs((at ?? 0) - ms);
    return frames.reduce((best, frame) => (distance(frame.t_ms) < distance(best.t_ms) ? frame : best), frames[0]);
  };
  return html`<ol class="transcript" ref=${list} tabindex="0" aria-label="Transcript">
    ${narration.map(({ id, start_ms, text, zone_id }) => {
      const at = position(start_ms);
      const showFrame = () => open(frameAt(start_ms)?.id ?? '');
      return html`<li key=${id} class=${index.color(zone_id)} aria-current=${id === current ? 'true' : undefined}>
        <button class="link" type="button" aria-label=${play ? `${at}: play from here` : `${at}: show the frame`} onClick=${play ? () => play(start_ms) : showFrame}>${at}</button>
        <span>${text}</span>
        ${play && html`<button class="link small" type="button" aria-label=${`Frame at ${at}`} onClick=${showFrame}>Frame</button>`}
      </li>`;
    })}
  </ol>`;
}

// A frame with boxes.

import { ownPath } from '../app/api.js';
import { html, useState } from '../app/html.js';

/** @typedef {import('../app/types.js').BBox} BBox */

/** @typedef {{ id: string, bbox: BBox, label: string, selected?: boolean }} Box */

/**
 * @param {{ url: string | null | undefined, alt: string, width?: number, height?: number, boxes?: Box[],
 *   onBox?: (id: string) => void, lazy?: boolean }} props
 */
export function FrameImage({ url, alt, width = 16, height = 9, boxes = [], onBox, lazy = true }) {
  const [failed, setFailed] = useState('');
  const src = ownPath(url);
  const fail = () => setFailed(src ?? '');
  if (!src || failed === src) {
    return html`<div class="frame missing" style=${{ aspectRatio: `${width} / ${height}` }}>${src ? 'No picture' : 'Picture hidden'}</div>`;
  }
  return html`<div class="frame" style=${{ aspectRatio: `${width} / ${height}` }}>
    <img src=${src} alt=${alt} width=${width} height=${height} loading=${lazy ? 'lazy' : 'eager'} decoding="async" onError=${fail} />
    ${boxes.map(({ id, bbox, label, selected }) => {
      const style = { left: share(bbox.x), top: share(bbox.y), width: share(bbox.w), height: share(bbox.h) };
      return html`<button
        key=${id}
        type="button"
        class="box ${selected ? 'selected' : ''} ${bbox.y < 0.06 ? 'below' : ''}"
        style=${style}
        aria-label=${label}
        title=${label}
        onClick=${() => onBox?.(id.split('/')[0])}
      >
        ${selected && html`<span>${label}</span>`}
      </button>`;
    })}
  </div>`;
}

/** @param {number} value */
const share = (value) => `${(value * 100).toFixed(2)}%`;

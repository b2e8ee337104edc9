// A frame with the claims that cite it. A claim can be chosen, and leads to its other frames.

import { position, words } from '../app/format.js';
import { html, useEffect } from '../app/html.js';
import { Confidence } from './badge.js';
import { CorrectClaim } from './correct-claim.js';
import { Dialog } from './dialog.js';
import { FrameImage } from './frame-image.js';

/** @typedef {import('../app/space-document.js').DocumentIndex} DocumentIndex */
/** @typedef {{ frame: string, claim: string | null }} Shown */

/**
 * @param {{ index: DocumentIndex, shown: Shown, show: (shown: Shown) => void, onClose: () => void,
 *   owner?: import('./correct-claim.js').Owner }} props
 */
export function FrameViewer({ index, shown, show, onClose, owner }) {
  const { document: space } = index;
  const frame = index.frames.get(shown.frame);
  const number = space.frames.findIndex(({ id }) => id === shown.frame);
  const step = (/** @type {number} */ by) => {
    const next = space.frames[number + by];
    if (next) show({ frame: next.id, claim: shown.claim });
  };
  useEffect(() => {
    const onKey = (/** @type {KeyboardEvent} */ event) => {
      if (event.target instanceof HTMLInputElement) return;
      if (event.key === 'ArrowLeft') step(-1);
      if (event.key === 'ArrowRight') step(1);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
  if (!frame) return null;
  const cited = index.byFrame.get(frame.id) ?? [];
  const claims = [...new Map(cited.map(({ shown: claim }) => [claim.claim.id, claim])).values()];
  const boxes = cited
    .filter(({ evidence }) => evidence.bbox)
    .map(({ shown: claim, evidence }, place) => ({
      id: `${claim.claim.id}/${place}`,
      bbox: /** @type {any} */ (evidence.bbox),
      label: claim.label,
      selected: claim.claim.id === shown.claim,
    }));
  const zone = frame.zone_id ? index.zones.get(frame.zone_id) : null;
  const at = space.kind === 'video' ? position(frame.t_ms ?? 0) : `Photo ${(frame.ordinal ?? 0) + 1}`;
  return html`<${Dialog} title=${`${at}${zone ? ` · ${zone.label}` : ''}`} onClose=${onClose} class="viewer">
    <div class="viewer-body">
      <div>
        <${FrameImage}
          key=${frame.id}
          url=${frame.url}
          alt=${`Frame at ${at}${zone ? `, ${zone.label}` : ''}`}
          width=${frame.width}
          height=${frame.height}
          boxes=${boxes}
          onBox=${(/** @type {string} */ claim) => show({ frame: frame.id, claim })}
          lazy=${false}
        />
        <div class="between">
          <button class="button" type="button" disabled=${number <= 0} onClick=${() => step(-1)}>← Earlier</button>
          <span class="muted small">Frame ${number + 1} of ${space.frames.length}</span>
          <button class="button" type="button" disabled=${number >= space.frames.length - 1} onClick=${() => step(1)}>Later →</button>
        </div>
      </div>
      <${Claims} index=${index} claims=${claims} shown=${shown} show=${show} owner=${owner} />
    </div>
  <//>`;
}

/**
 * @param {{ index: DocumentIndex, claims: import('../app/space-document.js').ShownClaim[], shown: Shown,
 *   show: (shown: Shown) => void, owner?: import('./correct-claim.js').Owner }} props
 */
function Claims({ index, claims, shown, show, owner }) {
  const chosen = shown.claim ? index.byId.get(shown.claim) : null;
  const others = claims.filter(({ claim }) => claim.id !== shown.claim);
  return html`<div class="claims">
    ${chosen && html`<${ChosenClaim} index=${index} claim=${chosen} shown=${shown} show=${show} />`}
    ${chosen && owner && html`<${CorrectClaim} key=${chosen.claim.id} claim=${chosen} owner=${owner} onDone=${() => show({ frame: shown.frame, claim: null })} />`}
    ${others.length > 0 && html`<h3>${chosen ? 'Also in this frame' : 'Claims that cite this frame'}</h3>`}
    ${claims.length === 0 && html`<p class="muted">No claim cites this frame.</p>`}
    <ul>
      ${others.map(
        ({ claim, kind, label }) => html`<li key=${claim.id}>
          <button class="claim" type="button" onClick=${() => show({ frame: shown.frame, claim: claim.id })}>
            <span class="muted small">${words(kind)}</span><span>${label}</span>
            <${Confidence} confidence=${claim.confidence} basis=${claim.basis} />
          </button>
        </li>`,
      )}
    </ul>
  </div>`;
}

/** @param {{ index: DocumentIndex, claim: import('../app/space-document.js').ShownClaim, shown: Shown, show: (shown: Shown) => void }} props */
function ChosenClaim({ index, claim, shown, show }) {
  const ids = [...new Set(claim.evidence.map(({ frame_id }) => frame_id).filter(Boolean))];
  const frames = ids.map((id) => index.frames.get(String(id))).filter((frame) => frame !== undefined);
  return html`<section class="chosen" aria-live="polite">
    <span class="muted small">${words(claim.kind)}</span>
    <strong>${claim.label}</strong>
    <${Confidence} confidence=${claim.claim.confidence} basis=${claim.claim.basis} />
    <p class="small muted">Claim <code>${claim.claim.id}</code>, shown by ${frames.length} frames:</p>
    <div class="strip">
      ${frames.map(
        (frame) => html`<button
          key=${frame.id}
          type="button"
          aria-label=${`Frame ${frame.id}`}
          aria-pressed=${frame.id === shown.frame}
          onClick=${() => show({ frame: frame.id, claim: claim.claim.id })}
        >
          <${FrameImage} url=${frame.url} alt="" width=${frame.width} height=${frame.height} />
        </button>`,
      )}
    </div>
  </section>`;
}

// A Space Document to look at.

import { download, saveAs } from '../app/api.js';
import { factValue, plural, words } from '../app/format.js';
import { html, useCallback, useMemo, useRef, useState } from '../app/html.js';
import { indexOf } from '../app/space-document.js';
import { Button } from './button.js';
import { Corrections } from './correct-claim.js';
import { FrameViewer } from './frame-viewer.js';
import { Card } from './layout.js';
import { Notice } from './notice.js';
import { Transcript } from './transcript.js';
import { WalkTimeline } from './walk-timeline.js';
import { ClaimChip, ZoneCard } from './zone-card.js';
import { ZoneMap } from './zone-map.js';

/** @typedef {import('../app/types.js').SpaceDocument} SpaceDocument */
/** @typedef {import('./frame-viewer.js').Shown} Shown */

/** Sentences of the summary before "show more". */
const SHOWN_SENTENCES = 10;
/** Facts before "show more". */
const SHOWN_FACTS = 12;

/** Shortest time between two requests for new signed URLs, in milliseconds. */
const SHORTEST_RELOAD = 60_000;

/**
 * `space` and `scan` are unknown to readers of a shared document.
 * @param {{ document: SpaceDocument, space?: string, scan?: string, reload: () => unknown, isNewest?: boolean }} props
 */
export function DocumentView({ document: space, space: id, scan, reload, isNewest = false }) {
  const index = useMemo(() => indexOf(space), [space]);
  const [shown, setShown] = useState(/** @type {Shown | null} */ (null));
  const open = useCallback((/** @type {string} */ frame, /** @type {string} */ claim) => setShown({ frame, claim: claim ?? null }), []);
  const owner = id && scan ? { space: id, scan, reload } : undefined;
  const reloaded = useRef(Date.now());
  // A picture that cannot be loaded has an expired URL, usually.
  const renewUrls = () => {
    if (Date.now() - reloaded.current < SHORTEST_RELOAD) return;
    reloaded.current = Date.now();
    void reload();
  };
  return html`<div class="document" onErrorCapture=${renewUrls}>
    <${Warnings} space=${space} />
    <${Card} title="The walk"><${WalkTimeline} index=${index} open=${open} /><//>
    <div class="columns">
      <${Summary} index=${index} open=${open} />
      <${ZoneMap} index=${index} open=${open} />
    </div>
    <${Facts} index=${index} open=${open} />
    ${owner && space.corrections?.length ? html`<${Corrections} corrections=${space.corrections} owner=${owner} />` : null}
    <h2 class="section">${plural(space.zones.length, 'zone')}</h2>
    <div class="zone-cards">
      ${space.zones.map((zone) => html`<${ZoneCard} key=${zone.id} index=${index} zone=${zone} open=${open} />`)}
    </div>
    <${Unplaced} index=${index} open=${open} />
    ${space.kind === 'video' && html`<${Card} title=${space.media.some(({ url }) => url) ? 'Video and transcript' : 'Transcript'}><${Transcript} index=${index} open=${open} /><//>`}
    <${Raw} space=${space} id=${id} scan=${scan} isNewest=${isNewest} />
    ${shown && html`<${FrameViewer} index=${index} shown=${shown} show=${setShown} onClose=${() => setShown(null)} owner=${owner} />`}
  </div>`;
}

/** @param {{ space: SpaceDocument }} props */
function Warnings({ space }) {
  const { warnings, blurred, dark } = space.quality;
  const notes = warnings.map(({ code, message }) => html`<li key=${code + message}>${message}</li>`);
  if (blurred > 0.3) notes.push(html`<li key="blurred">Much of the recording is blurred. Walk more slowly.</li>`);
  if (dark > 0.3) notes.push(html`<li key="dark">Much of the recording is dark. Turn on the light.</li>`);
  if (notes.length === 0) return null;
  return html`<${Notice} kind="warning" title="What limits this document"><ul>${notes}</ul><//>`;
}

/** @param {{ index: import('../app/space-document.js').DocumentIndex, open: (frame: string, claim?: string) => void }} props */
function Summary({ index, open }) {
  const [all, setAll] = useState(false);
  const { summary } = index.document;
  const sentences = all ? summary : summary.slice(0, SHOWN_SENTENCES);
  const more = summary.length - sentences.length;
  return html`<${Card} title="In short" class="in-short">
    ${sentences.map(({ text, claim_ids }) => html`<p key=${text} class="sentence">
      ${text} ${claim_ids.slice(0, 3).map((claim, place) => html`<${ClaimChip} key=${claim} index=${index} id=${claim} open=${open}>${place + 1}<//> `)}
    </p>`)}
    ${more > 0 && html`<button class="link" type="button" onClick=${() => setAll(true)}>Show ${plural(more, 'more sentence', 'more sentences')}</button>`}
  <//>`;
}

/** Values that signs and speech state. @param {{ index: import('../app/space-document.js').DocumentIndex, open: (frame: string, claim?: string) => void }} props */
function Facts({ index, open }) {
  const [all, setAll] = useState(false);
  const { facts = [], measurements } = index.document;
  if (facts.length + measurements.length === 0) return null;
  const shown = all ? facts : facts.slice(0, SHOWN_FACTS);
  const more = facts.length - shown.length;
  const zoneOf = (/** @type {string | null | undefined} */ zone) => (zone && index.zones.get(zone)?.label) ?? '';
  return html`<${Card} title="Facts and measurements">
    ${facts.length > 0 &&
    html`<ul class="facts">
        ${shown.map(({ id, kind, subject, value, negated, zone_id, claim }) => html`<li key=${id}>
          <span class="muted small">${words(kind)}${subject ? ` · ${subject}` : ''}</span>
          <span>
            <${ClaimChip} index=${index} id=${claim.id} open=${open}>${negated ? 'no ' : ''}${factValue(value)}<//>
            ${' '}<span class="muted small">${zoneOf(zone_id)}</span>
          </span>
        </li>`)}
      </ul>`}
    ${more > 0 && html`<button class="link" type="button" onClick=${() => setAll(true)}>Show ${plural(more, 'more fact', 'more facts')}</button>`}
    ${measurements.length > 0 &&
    html`<ul class="chips">
        ${measurements.map(({ id, value, unit, method, claim }) => html`<li key=${id}>
          <${ClaimChip} index=${index} id=${claim.id} open=${open}>${value} ${unit.replace('2', '²').replace('3', '³')} (${method})<//>
        </li>`)}
      </ul>`}
  <//>`;
}

/** Texts and objects that belong to no zone. @param {{ index: import('../app/space-document.js').DocumentIndex, open: (frame: string, claim?: string) => void }} props */
function Unplaced({ index, open }) {
  const texts = index.document.texts.filter(({ zone_id }) => !zone_id);
  if (texts.length === 0) return null;
  return html`<${Card} title="Texts between zones">
    <ul class="chips texts">
      ${texts.map(({ id, raw, claim }) => html`<li key=${id}><${ClaimChip} index=${index} id=${claim.id} open=${open}>${raw}<//></li>`)}
    </ul>
  <//>`;
}

/** @param {{ space: SpaceDocument, id?: string, scan?: string, isNewest: boolean }} props */
function Raw({ space, id, scan, isNewest }) {
  const [open, setOpen] = useState(false);
  const text = useMemo(() => (open ? JSON.stringify(space, null, 2) : ''), [open, space]);
  const save = () => saveAs(new Blob([JSON.stringify(space, null, 2)], { type: 'application/json' }), `${scan ?? 'document'}.json`);
  const skill = () => download(`/spaces/${id}/skill`, `${id}-skill.zip`, { Accept: 'application/zip' });
  const actions = html`<${Button} onClick=${save}>Download JSON<//>
    ${isNewest && html`<${Button} onClick=${skill}>Download skill<//>`}`;
  return html`<${Card} title="Raw document" actions=${actions} about="The JSON that the API returns. The skill is a folder for agents with the same facts.">
    <details class="raw" onToggle=${(/** @type {any} */ event) => setOpen(event.target.open)}>
      <summary>Show JSON</summary>
      <div class="code" tabindex="0" role="region" aria-label="JSON of the document"><pre>${text}</pre></div>
    </details>
  <//>`;
}

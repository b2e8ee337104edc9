// Two scans of a space: what changed, with both frames, and what could not be compared.

import { ago, plural, words } from '../app/format.js';
import { html, useState } from '../app/html.js';
import { useResource } from '../app/resource.js';
import { Badge } from './badge.js';
import { Compare } from './compare.js';
import { SelectField } from './form.js';
import { Card, Empty, Loaded } from './layout.js';
import { Table } from './table.js';

/** @typedef {import('../app/types.js').Change} Change */
/** @typedef {import('../app/types.js').Diff} Diff */
/** @typedef {import('../app/types.js').Scan} Scan */

/** Kinds of a change that say nothing about the place. */
const UNCERTAIN = ['unverified', 'incomparable'];
/** @type {Record<string, string>} */
const REASONS = {
  not_seen_before: 'The first scan does not show its place.',
  not_seen_again: 'The second scan does not show its place.',
  different_models: 'Different models looked at the two scans.',
  not_looked_for: 'One scan did not look for it.',
  different_cameras: 'The cameras differ too much.',
};

/** @param {{ space: string }} props */
export function SpaceDiff({ space }) {
  const scans = useResource(`/spaces/${space}/scans`, { limit: 100 });
  return html`<${Loaded} of=${scans}>
    ${(/** @type {{ data: Scan[] }} */ { data }) => {
      const complete = data.filter(({ status }) => status === 'complete');
      return complete.length < 2
        ? html`<${Empty} title="Nothing to compare yet">A comparison needs two complete scans of the space.<//>`
        : html`<${Chosen} space=${space} scans=${complete} />`;
    }}
  <//>`;
}

/** @param {{ space: string, scans: Scan[] }} props */
function Chosen({ space, scans }) {
  const [from, setFrom] = useState(scans[1].id);
  const [to, setTo] = useState(scans[0].id);
  const diff = useResource(`/spaces/${space}/diff`, { from, to });
  const options = scans.map((scan) => /** @type {[string, string]} */ ([scan.id, `Revision ${scan.document_revision}, ${ago(scan.created_at)}`]));
  return html`<div class="compared">
      <${SelectField} label="Before" value=${from} onValue=${setFrom} options=${options} />
      <${SelectField} label="After" value=${to} onValue=${setTo} options=${options} />
    </div>
    <${Loaded} of=${diff} rows=${6}>${(/** @type {Diff} */ data) => html`<${Changes} diff=${data} />`}<//>`;
}

/** The name of what was compared; a whole kind has no other name. @param {Change} change */
function nameOf({ name, subject }) {
  return name === `${subject}s` ? 'All' : name;
}

/** @param {{ diff: Diff }} props */
function Changes({ diff }) {
  const certain = diff.changes.filter(({ kind }) => !UNCERTAIN.includes(kind));
  const uncertain = diff.changes.filter(({ kind }) => UNCERTAIN.includes(kind));
  const columns = [
    { title: 'What', cell: (/** @type {Change} */ change) => html`${nameOf(change)} <span class="muted small">${words(change.subject)}</span>` },
    { title: 'Zone', cell: (/** @type {Change} */ { before, after }) => before?.zone ?? after?.zone ?? '–' },
    { title: 'Why', cell: (/** @type {Change} */ { reason, kind }) => (reason ? REASONS[reason] : words(kind)) },
  ];
  return html`<h2 class="section">${certain.length ? plural(certain.length, 'change') : 'No change found'}</h2>
    <div class="changes">
      ${certain.map((change, place) => html`<${ChangeCard} key=${place} change=${change} />`)}
    </div>
    ${uncertain.length > 0 &&
    html`<${Card} title=${`${plural(uncertain.length, 'finding')} could not be compared`} class="flush">
      <${Table} label="Not compared" rows=${uncertain} columns=${columns} id=${(/** @type {Change} */ change) => `${change.kind}${change.before?.id}${change.after?.id}${change.name}`} />
    <//>`}`;
}

/** @param {{ change: Change }} props */
function ChangeCard({ change }) {
  const { before, after } = change;
  const zone = after?.zone ?? before?.zone;
  const values = [before, after].map((side) => (side ? (side.count ? `${side.count.best} × ${side.value}` : side.value) : null));
  return html`<article class="card change">
    <header>
      <h3>${change.name}</h3>
      <${Badge} status=${change.kind} />
    </header>
    <p class="muted small">${words(change.subject)}${zone ? ` · ${zone}` : ''} · confidence ${Math.round(change.confidence * 100)} %</p>
    <p class="values">${values[0] ? html`<del>${values[0]}</del>` : ''} ${values[0] && values[1] ? '→ ' : ''}${values[1] ? html`<ins>${values[1]}</ins>` : ''}</p>
    <${Compare} before=${before ?? null} after=${after ?? null} name=${change.name} />
  </article>`;
}

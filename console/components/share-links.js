// Links that show a document to somebody without an account: made, listed, ended.

import { del, post } from '../app/api.js';
import { ago, date } from '../app/format.js';
import { html, useState } from '../app/html.js';
import { useAction, useList } from '../app/resource.js';
import { ConfirmButton } from './confirm.js';
import { Badge } from './badge.js';
import { Secret } from './copy.js';
import { Checkbox, Form, SelectField } from './form.js';
import { Card, Loaded } from './layout.js';
import { Notice } from './notice.js';
import { Table } from './table.js';

/** @typedef {import('../app/types.js').Share} Share */

/** @type {[string, string][]} */
const LIFETIMES = [['1', 'One day'], ['7', 'One week'], ['30', '30 days'], ['90', '90 days']];

/** @param {{ space: string }} props */
export function ShareLinks({ space }) {
  const links = useList(`/spaces/${space}/shares`);
  return html`<${NewLink} space=${space} onMade=${links.reload} />
    <${Loaded} of=${links} rows=${3}>
      ${() => links.rows && links.rows.length > 0 && html`<${Links} links=${links} space=${space} />`}
    <//>`;
}

/** @param {{ space: string, onMade: () => unknown }} props */
function NewLink({ space, onMade }) {
  const [days, setDays] = useState('7');
  const [credentials, setCredentials] = useState(false);
  const [persons, setPersons] = useState(false);
  const [url, setUrl] = useState('');
  const action = useAction(async () => {
    const body = { expires_in_days: Number(days), shows_credentials: credentials, shows_persons: persons };
    setUrl((await post(`/spaces/${space}/shares`, body)).url);
    await onMade();
  });
  return html`<${Card}
    title="Share this document"
    about="A link shows this document and its frames to anybody who has it, without an account. It shows nothing else of yours, and keeps showing this document after later scans."
  >
    <${Form} submit="Make a link" busy=${action.busy} error=${action.error} onSubmit=${action.run}>
      <${SelectField} label="The link ends after" value=${days} onValue=${setDays} options=${LIFETIMES} />
      <${Checkbox} label="Show passwords and codes" checked=${credentials} onValue=${setCredentials} hint="Without it, texts with a password, PIN or door code are left out, and so are the frames that show them." />
      <${Checkbox} label="Show persons" checked=${persons} onValue=${setPersons} hint="Without it, frames that show a person have no picture." />
    <//>
    ${url &&
    html`<${Notice} kind="good" title="Copy the link now. It is not shown again.">
      <${Secret} text=${url} label="Link" />
    <//>`}
  <//>`;
}

/** @param {{ links: ReturnType<typeof useList>, space: string }} props */
function Links({ links, space }) {
  const end = async (/** @type {Share} */ link) => {
    await del(`/spaces/${space}/shares/${link.id}`);
    await links.reload();
  };
  const columns = [
    { title: 'Made', cell: (/** @type {Share} */ link) => html`<span title=${link.id}>${ago(link.created_at)}</span>` },
    { title: 'Status', cell: (/** @type {Share} */ link) => html`<${Badge} status=${statusOf(link)} />` },
    { title: 'Ends', cell: (/** @type {Share} */ link) => date(link.revoked_at ?? link.expires_at) },
    { title: 'Shows', cell: (/** @type {Share} */ link) => shownBy(link) },
    {
      title: 'Actions',
      cell: (/** @type {Share} */ link) =>
        link.active &&
        html`<${ConfirmButton} label="End" title="End this link?" confirm="End link" onConfirm=${() => end(link)}>
          Nobody can open the document with it any more.
        <//>`,
    },
  ];
  return html`<${Card} title="Links" class="flush">
    <${Table} label="Links" rows=${links.rows ?? []} columns=${columns} id=${(/** @type {Share} */ link) => link.id} more=${links.more} loadingMore=${links.loadingMore} />
  <//>`;
}

/** @param {Share} link */
function statusOf(link) {
  if (link.active) return 'active';
  return link.revoked_at ? 'revoked' : 'expired';
}

/** @param {Share} link */
function shownBy({ shows_credentials, shows_persons }) {
  const more = [shows_credentials && 'passwords', shows_persons && 'persons'].filter(Boolean);
  return more.length ? `Everything with ${more.join(' and ')}` : 'No passwords, no persons';
}

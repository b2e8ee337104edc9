// API keys of the shown mode.

import { post } from '../app/api.js';
import { ago, money } from '../app/format.js';
import { html, useState } from '../app/html.js';
import { mode } from '../app/mode.js';
import { useAction, useList } from '../app/resource.js';
import { Link } from '../app/router.js';
import { SCOPES } from '../app/scopes.js';
import { useStore } from '../app/store.js';
import { Badge } from '../components/badge.js';
import { Button } from '../components/button.js';
import { Secret } from '../components/copy.js';
import { Dialog } from '../components/dialog.js';
import { CheckboxGroup, Form, TextField, fieldError } from '../components/form.js';
import { Empty, Loaded, PageHeader } from '../components/layout.js';
import { Meter } from '../components/meter.js';
import { Notice } from '../components/notice.js';
import { Table } from '../components/table.js';

/** @typedef {import('../app/types.js').ApiKey} ApiKey */

export function KeysPage() {
  const keys = useList('/keys');
  const shownMode = useStore(mode);
  const [adding, setAdding] = useState(false);
  const [secret, setSecret] = useState(/** @type {string | null} */ (null));
  const created = async (/** @type {string} */ next) => {
    setAdding(false);
    setSecret(next);
    await keys.reload();
  };
  const add = html`<${Button} kind="primary" onClick=${() => setAdding(true)}>New ${shownMode} key<//>`;
  return html`<${PageHeader} title="API keys" about="Programs call the API with a key. A key acts in one mode.">${add}<//>
    ${secret && html`<${NewSecret} secret=${secret} />`}
    <${Loaded} of=${keys}>
      ${() =>
        keys.rows?.length
          ? html`<${KeyTable} keys=${keys} />`
          : html`<${Empty} title=${`No ${shownMode} keys`} action=${add}>Create one to call the API from a program.<//>`}
    <//>
    ${adding && html`<${NewKey} onClose=${() => setAdding(false)} onCreated=${created} />`}`;
}

/** @param {{ secret: string }} props */
export function NewSecret({ secret }) {
  return html`<${Notice} kind="good" title="Copy the secret now" role="status">
    <p>It is shown once and cannot be read again.</p>
    <${Secret} text=${secret} label="Secret" />
  <//>`;
}

/** @param {{ keys: ReturnType<typeof useList> }} props */
function KeyTable({ keys }) {
  const columns = [
    {
      title: 'Name',
      cell: (/** @type {ApiKey} */ key) => html`<${Link} class="strong" to=${`/keys/${key.id}`}>${key.name}<//> <code class="muted">${key.hint}</code>`,
    },
    { title: 'Status', cell: (/** @type {ApiKey} */ key) => html`<${Badge} status=${statusOf(key)} />` },
    { title: 'This month', cell: (/** @type {ApiKey} */ key) => html`<${Spent} of=${key} />` },
    { title: 'Last used', cell: (/** @type {ApiKey} */ key) => (key.last_used_at ? ago(key.last_used_at) : 'Never') },
  ];
  return html`<div class="card flush">
    <${Table} label="API keys" rows=${keys.rows ?? []} columns=${columns} id=${(/** @type {ApiKey} */ key) => key.id} more=${keys.more} loadingMore=${keys.loadingMore} />
  </div>`;
}

/** @param {ApiKey} key */
export function statusOf(key) {
  if (key.active) return 'active';
  return key.revoked_at ? 'revoked' : 'expired';
}

/** What a key spent this month, and its cap. @param {{ of: ApiKey }} props */
export function Spent({ of }) {
  const spent = of.spent_this_month_cents;
  const cap = of.monthly_cap_cents;
  if (cap === null || cap === undefined) return html`${money(spent)} <span class="muted small">no cap</span>`;
  const share = cap ? spent / cap : 1;
  return html`<${Meter} label=${money(spent)} value=${share} text=${`of ${money(cap)}`} tone=${share >= 0.9 ? 'bad' : ''} />`;
}

/** @param {{ onClose: () => void, onCreated: (secret: string) => unknown }} props */
function NewKey({ onClose, onCreated }) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState(SCOPES.map(([scope]) => scope));
  const [cap, setCap] = useState('');
  const action = useAction(async () => {
    const key = await post('/keys', { name, scopes, monthly_cap_cents: cap === '' ? null : Math.round(Number(cap) * 100) });
    await onCreated(key.secret);
  });
  return html`<${Dialog} title="New API key" onClose=${onClose}>
    <${Form} submit="Create key" busy=${action.busy} error=${action.error} onSubmit=${action.run} cancel=${onClose}>
      <${TextField} label="Name" value=${name} onValue=${setName} error=${fieldError(action.error, 'name')} placeholder="Production server" required />
      <${CheckboxGroup} label="Scopes" values=${scopes} onValues=${setScopes} options=${SCOPES} />
      <${TextField} label="Monthly cap in US dollars (optional)" value=${cap} onValue=${setCap} type="number" min="0" step="0.01" prefix="$" error=${fieldError(action.error, 'monthly_cap_cents')} />
    <//>
  <//>`;
}

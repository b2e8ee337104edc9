// Webhook endpoints of the shown mode.

import { idempotencyKey, post } from '../app/api.js';
import { html, useState } from '../app/html.js';
import { useAction, useList } from '../app/resource.js';
import { Link } from '../app/router.js';
import { Badge } from '../components/badge.js';
import { Button } from '../components/button.js';
import { Secret } from '../components/copy.js';
import { Dialog } from '../components/dialog.js';
import { CheckboxGroup, Form, TextField, fieldError } from '../components/form.js';
import { Empty, Loaded, PageHeader } from '../components/layout.js';
import { Notice } from '../components/notice.js';
import { Table } from '../components/table.js';

/** @typedef {import('../app/types.js').WebhookEndpoint} WebhookEndpoint */

/** @type {[string, string][]} */
export const EVENT_TYPES = [
  ['scan.completed', 'A scan is complete'],
  ['scan.failed', 'A scan failed'],
  ['wallet.auto_recharge_failed', 'An automatic top-up failed'],
];

export function WebhooksPage() {
  const endpoints = useList('/webhook-endpoints');
  const [adding, setAdding] = useState(false);
  const [secret, setSecret] = useState(/** @type {string | null} */ (null));
  const created = async (/** @type {string | null} */ next) => {
    setAdding(false);
    setSecret(next);
    await endpoints.reload();
  };
  const add = html`<${Button} kind="primary" onClick=${() => setAdding(true)}>Add endpoint<//>`;
  const columns = [
    {
      title: 'URL',
      cell: (/** @type {WebhookEndpoint} */ row) => html`<${Link} class="strong break" to=${`/webhooks/${row.id}`}>${row.url}<//>`,
    },
    { title: 'Status', cell: (/** @type {WebhookEndpoint} */ row) => html`<${Badge} status=${row.enabled ? 'enabled' : 'disabled'} />` },
    { title: 'Events', cell: (/** @type {WebhookEndpoint} */ row) => row.events.join(', ') },
  ];
  return html`<${PageHeader} title="Webhooks" about="Events are sent to your endpoints, signed, and again until they arrive.">${add}<//>
    ${secret && html`<${SigningSecret} secret=${secret} />`}
    <${Loaded} of=${endpoints}>
      ${() =>
        endpoints.rows?.length
          ? html`<div class="card flush"><${Table} label="Webhook endpoints" rows=${endpoints.rows} columns=${columns} id=${(/** @type {WebhookEndpoint} */ row) => row.id} /></div>`
          : html`<${Empty} title="No endpoints" action=${add}>Add the URL of your server to learn when a scan ends.<//>`}
    <//>
    ${adding && html`<${NewEndpoint} onClose=${() => setAdding(false)} onCreated=${created} />`}`;
}

/** @param {{ secret: string }} props */
export function SigningSecret({ secret }) {
  return html`<${Notice} kind="good" title="Copy the signing secret now" role="status">
    <p>It is shown once. Your server verifies <code>Scan-Signature</code> with it.</p>
    <${Secret} text=${secret} label="Signing secret" />
  <//>`;
}

/** @param {{ onClose: () => void, onCreated: (secret: string | null) => unknown }} props */
function NewEndpoint({ onClose, onCreated }) {
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState(EVENT_TYPES.map(([type]) => type));
  const [description, setDescription] = useState('');
  const action = useAction(async () => {
    const body = { url, events, description: description || null };
    const endpoint = await post('/webhook-endpoints', body, { headers: idempotencyKey() });
    await onCreated(endpoint.signing_secret ?? null);
  });
  return html`<${Dialog} title="Add webhook endpoint" onClose=${onClose}>
    <${Form} submit="Add endpoint" busy=${action.busy} error=${action.error} onSubmit=${action.run} cancel=${onClose}>
      <${TextField} label="URL" type="url" value=${url} onValue=${setUrl} placeholder="https://example.com/hooks/scan" error=${fieldError(action.error, 'url')} hint="https, at an address that the internet can reach." required />
      <${CheckboxGroup} label="Events" values=${events} onValues=${setEvents} options=${EVENT_TYPES} />
      <${TextField} label="Description (optional)" value=${description} onValue=${setDescription} />
    <//>
  <//>`;
}

// One webhook endpoint: its state, test events, deliveries and their attempts.

import { del, post } from '../app/api.js';
import { ago, dateAndTime, words } from '../app/format.js';
import { html, useState } from '../app/html.js';
import { useAction, useResource } from '../app/resource.js';
import { Link, navigate } from '../app/router.js';
import { Badge } from '../components/badge.js';
import { Button } from '../components/button.js';
import { ConfirmButton } from '../components/confirm.js';
import { Deliveries } from '../components/deliveries.js';
import { Card, Loaded, PageHeader } from '../components/layout.js';
import { ErrorNotice, Notice } from '../components/notice.js';
import { SigningSecret } from './webhooks.js';

/** @typedef {import('../app/types.js').WebhookEndpoint} WebhookEndpoint */
/** @typedef {import('../app/types.js').WebhookTest} WebhookTest */

/** @param {{ id: string }} props */
export function WebhookPage({ id }) {
  const found = useResource(`/webhook-endpoints/${id}`);
  const [secret, setSecret] = useState(/** @type {string | null} */ (null));
  const path = `/webhook-endpoints/${id}`;
  const change = useAction(async (/** @type {string} */ action) => found.replace(await post(`${path}/${action}`)));
  const rotate = async () => {
    const rotated = await post(`${path}/rotate-secret`, {});
    setSecret(rotated.signing_secret);
    found.replace(rotated);
  };
  const remove = async () => {
    await del(path);
    navigate('/webhooks');
  };
  return html`<${Loaded} of=${found} rows=${6}>
    ${(/** @type {WebhookEndpoint} */ endpoint) => html`
      <${PageHeader} title=${endpoint.url} back=${html`<${Link} to="/webhooks">Webhooks<//>`} about=${endpoint.description ?? endpoint.events.join(', ')}>
        <${Badge} status=${endpoint.enabled ? 'enabled' : 'disabled'} />
        <${Button} busy=${change.busy} onClick=${() => change.run(endpoint.enabled ? 'disable' : 'enable')}>${endpoint.enabled ? 'Disable' : 'Enable'}<//>
        <${ConfirmButton} label="Rotate secret" title="Rotate the signing secret?" confirm="Rotate" kind="plain" onConfirm=${rotate}>
          Requests are signed with both secrets for 24 hours.
        <//>
        <${ConfirmButton} label="Delete" title="Delete this endpoint?" confirm="Delete" onConfirm=${remove}>
          Deliveries that are still in progress end.
        <//>
      <//>
      <${ErrorNotice} error=${change.error} />
      ${secret && html`<${SigningSecret} secret=${secret} />`}
      ${!endpoint.enabled && endpoint.disabled_reason && html`<${Notice} kind="warning">Disabled: ${words(endpoint.disabled_reason)}. Missed deliveries are not sent again; replay them below.<//>`}
      ${endpoint.old_secret_signs_until && html`<p class="muted small">The old secret signs until ${dateAndTime(endpoint.old_secret_signs_until)}.</p>`}
      <${TestEvent} path=${path} />
      <${Deliveries} path=${path} enabled=${endpoint.enabled} />
      <p class="muted small">Added ${ago(endpoint.created_at)}. ${endpoint.consecutive_failures > 0 ? `${endpoint.consecutive_failures} deliveries failed in a row.` : ''}</p>
    `}
  <//>`;
}

/** @param {{ path: string }} props */
function TestEvent({ path }) {
  const [result, setResult] = useState(/** @type {WebhookTest | null} */ (null));
  const action = useAction(async () => setResult(await post(`${path}/test`, {})));
  const send = html`<${Button} busy=${action.busy} onClick=${action.run}>Send test event<//>`;
  return html`<${Card} title="Test event" actions=${send} about="Sends one sample event and shows the response. It is not recorded and not repeated.">
    <${ErrorNotice} error=${action.error} />
    ${result &&
    html`<${Notice} kind=${result.delivered ? 'good' : 'bad'} role="status">
      <p>
        ${result.status ? html`Your server responded with <strong>${result.status}</strong>` : (result.error?.message ?? 'No response')}
        <span class="muted"> after ${result.duration_ms} ms</span>
      </p>
      ${result.response && html`<pre class="response" tabindex="0">${result.response}</pre>`}
    <//>`}
  <//>`;
}

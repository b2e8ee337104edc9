// Deliveries of an endpoint, each with its attempts on a time line.

import { post } from '../app/api.js';
import { ago, dateAndTime, plural, time } from '../app/format.js';
import { html, useEffect, useState } from '../app/html.js';
import { useAction, useList, useResource } from '../app/resource.js';
import { Badge } from './badge.js';
import { Button } from './button.js';
import { Card, Empty, Loaded } from './layout.js';
import { ErrorNotice } from './notice.js';

/** @typedef {import('../app/types.js').WebhookDelivery} WebhookDelivery */

/** Time between two reads while a delivery is in progress, in milliseconds. */
const POLL = 1000;

/** @param {{ path: string, enabled: boolean }} props */
export function Deliveries({ path, enabled }) {
  const deliveries = useList(`${path}/deliveries`);
  const inProgress = deliveries.rows?.some((/** @type {WebhookDelivery} */ { status }) => status === 'pending');
  useEffect(() => {
    if (!inProgress) return undefined;
    const timer = setTimeout(deliveries.reload, POLL);
    return () => clearTimeout(timer);
  }, [deliveries.data]);
  const replay = useAction(async (/** @type {string} */ event) => {
    await post(`${path}/replay`, { event_ids: [event] });
    await deliveries.reload();
  });
  const refresh = html`<${Button} onClick=${deliveries.reload}>Refresh<//>`;
  return html`<${Card} title="Deliveries" actions=${refresh}>
    <${ErrorNotice} error=${replay.error} />
    <${Loaded} of=${deliveries}>
      ${() =>
        deliveries.rows?.length
          ? html`<ul class="deliveries">
              ${deliveries.rows.map(
                (/** @type {WebhookDelivery} */ row) => html`<${Delivery} key=${row.event_id} path=${path} delivery=${row} replay=${enabled && !replay.busy ? replay.run : null} />`,
              )}
            </ul>
            ${deliveries.more && html`<${Button} busy=${deliveries.loadingMore} onClick=${deliveries.more}>Show more<//>`}`
          : html`<${Empty} title="Nothing was sent yet">Events of the last 30 days appear here.<//>`}
    <//>
  <//>`;
}

/** @param {{ path: string, delivery: WebhookDelivery, replay: ((event: string) => unknown) | null }} props */
function Delivery({ path, delivery, replay }) {
  const [open, setOpen] = useState(false);
  const outcome = delivery.last_status ?? delivery.last_error ?? '';
  return html`<li>
    <details open=${open} onToggle=${(/** @type {any} */ event) => setOpen(event.target.open)}>
      <summary>
        <${Badge} status=${delivery.status} />
        <code class="break">${delivery.event_id}</code>
        <span class="muted small">${outcome} · ${plural(delivery.attempts, 'attempt')} · ${ago(delivery.created_at)}</span>
      </summary>
      ${open && html`<${Attempts} key=${`${delivery.attempts} ${delivery.finished_at}`} path=${path} event=${delivery.event_id} />`}
      ${delivery.last_response && html`<pre class="response" tabindex="0">${delivery.last_response}</pre>`}
      ${delivery.next_attempt_at && html`<p class="muted small">Next attempt ${dateAndTime(delivery.next_attempt_at)}.</p>`}
      ${replay && delivery.status !== 'pending' && html`<${Button} onClick=${() => replay(delivery.event_id)}>Replay<//>`}
    </details>
  </li>`;
}

/** @param {{ path: string, event: string }} props */
function Attempts({ path, event }) {
  const attempts = useResource(`${path}/deliveries/${event}/attempts`);
  return html`<${Loaded} of=${attempts} rows=${2}>
    ${(/** @type {any} */ { data }) => html`<ol class="attempts">
      ${data.map(
        (/** @type {any} */ attempt) => html`<li key=${attempt.attempt} class=${attempt.status && attempt.status < 300 ? 'good' : 'bad'}>
          <span class="marker" aria-hidden="true"></span>
          <span>${time(attempt.at)}</span>
          <strong>${attempt.status ?? attempt.error}</strong>
          <span class="muted small">attempt ${attempt.attempt}, ${attempt.duration_ms} ms</span>
        </li>`,
      )}
    </ol>`}
  <//>`;
}

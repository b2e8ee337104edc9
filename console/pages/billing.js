// Billing of the shown mode: balance, top-ups, automatic top-up, entries.

import { dateAndTime, money, words } from '../app/format.js';
import { html, useState } from '../app/html.js';
import { useList, useResource } from '../app/resource.js';
import { navigate } from '../app/router.js';
import { AutoRecharge } from '../components/auto-recharge.js';
import { Badge } from '../components/badge.js';
import { Button } from '../components/button.js';
import { Card, Empty, Loaded, PageHeader } from '../components/layout.js';
import { LineChart } from '../components/line-chart.js';
import { Notice } from '../components/notice.js';
import { PaymentMethod } from '../components/payment-method.js';
import { Table } from '../components/table.js';
import { TopUp } from '../components/top-up.js';

/** @typedef {import('../app/types.js').BillingEntry} BillingEntry */
/** @typedef {import('../app/types.js').TopUp} TopUpRow */
/** @typedef {import('../app/types.js').Wallet} Wallet */

export function BillingPage() {
  const wallet = useResource('/wallet');
  const entries = useList('/billing/entries', { limit: 50 });
  const topUps = useList('/billing/top-ups', { limit: 10 });
  const [method, setMethod] = useState(/** @type {any} */ (undefined));
  const reload = async () => {
    await Promise.all([wallet.reload(), entries.reload(), topUps.reload()]);
  };
  const month = new Date().toISOString().slice(0, 7);
  return html`<${PageHeader} title="Billing" about="Scans are paid from a balance. A scan that fails is refunded.">
      <${Button} onClick=${() => navigate(`/billing/statements/${month}`)}>Statement<//>
    <//>
    <${Loaded} of=${wallet}>
      ${(/** @type {Wallet} */ data) => html`
        <div class="figures">
          <div class="card figure"><span class="muted">Balance</span><strong>${money(data.balance_cents)}</strong></div>
          <div class="card figure"><span class="muted">Free scans</span><strong>${data.free_scans}</strong></div>
          <div class="card figure"><span class="muted">Automatic top-up</span><strong>${data.auto_recharge.enabled ? 'On' : 'Off'}</strong></div>
        </div>
        ${!data.payments_enabled && html`<${Notice} kind="warning">This service has no payment provider for live mode.<//>`}
        <div class="columns">
          <${PaymentMethod} onMethod=${setMethod} />
          <${TopUp} method=${method} onDone=${reload} disabled=${!data.payments_enabled} />
        </div>
        <${AutoRecharge} method=${method} onSaved=${wallet.reload} />
        <${TopUps} list=${topUps} />
        <${Entries} entries=${entries} balance=${data.balance_cents} />
      `}
    <//>`;
}

/** @param {{ list: ReturnType<typeof useList> }} props */
function TopUps({ list }) {
  if (!list.rows?.length) return null;
  const columns = [
    { title: 'When', cell: (/** @type {TopUpRow} */ row) => dateAndTime(row.created_at) },
    { title: 'Status', cell: (/** @type {TopUpRow} */ row) => html`<${Badge} status=${row.status} /> ${row.reason && html`<span class="muted small">${words(row.reason)}</span>`}` },
    { title: 'Kind', cell: (/** @type {TopUpRow} */ row) => words(row.kind) },
    { title: 'Amount', numeric: true, cell: (/** @type {TopUpRow} */ row) => money(row.amount_cents) },
  ];
  return html`<${Card} title="Top-ups" class="flush">
    <${Table} label="Top-ups" rows=${list.rows} columns=${columns} id=${(/** @type {TopUpRow} */ row) => row.id} more=${list.more} loadingMore=${list.loadingMore} />
  <//>`;
}

/** @param {{ entries: ReturnType<typeof useList>, balance: number }} props */
function Entries({ entries, balance }) {
  const columns = [
    { title: 'When', cell: (/** @type {BillingEntry} */ row) => dateAndTime(row.created_at) },
    { title: 'What', cell: (/** @type {BillingEntry} */ row) => html`${words(row.kind)} ${row.scan_id && html`<code class="muted small">${row.scan_id}</code>`}` },
    { title: 'Free scans', numeric: true, cell: (/** @type {BillingEntry} */ row) => (row.free_scans ? signed(row.free_scans) : '') },
    { title: 'Amount', numeric: true, cell: (/** @type {BillingEntry} */ row) => (row.amount_cents ? money(row.amount_cents) : '') },
  ];
  return html`<${Card} title="Entries" class="flush" about="Every movement of money and free scans, newest first.">
    <${Loaded} of=${entries}>
      ${() =>
        entries.rows?.length
          ? html`<${LineChart} label="Balance over time" points=${balances(entries.rows, balance)} />
              <${Table} label="Entries" rows=${entries.rows} columns=${columns} id=${(/** @type {BillingEntry} */ row) => row.id} more=${entries.more} loadingMore=${entries.loadingMore} />`
          : html`<${Empty} title="No entries yet">Top-ups, charges and refunds appear here.<//>`}
    <//>
  <//>`;
}

/** @param {number} count */
const signed = (count) => (count > 0 ? `+${count}` : String(count));

/**
 * Returns the balance after each entry, oldest first, from the balance after the newest.
 * @param {BillingEntry[]} newestFirst
 * @param {number} balance
 */
function balances(newestFirst, balance) {
  let after = balance;
  const points = newestFirst.map(({ created_at, amount_cents }) => {
    const point = { at: Date.parse(created_at), value: after, text: `${dateAndTime(created_at)}: ${money(after)}` };
    after -= amount_cents;
    return point;
  });
  const now = { at: Date.now(), value: balance, text: `Now: ${money(balance)}` };
  return points.length ? [...points.reverse(), now] : [];
}

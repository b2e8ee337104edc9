// The statement of a month, to print.

import { money, monthName, words } from '../app/format.js';
import { html } from '../app/html.js';
import { useResource } from '../app/resource.js';
import { Link, navigate } from '../app/router.js';
import { session } from '../app/session.js';
import { useStore } from '../app/store.js';
import { Button } from '../components/button.js';
import { Loaded, PageHeader } from '../components/layout.js';
import { Table } from '../components/table.js';

/** @param {{ month: string }} props */
export function StatementPage({ month }) {
  const statement = useResource(`/billing/statements/${month}`);
  const user = useStore(session);
  const other = (/** @type {number} */ by) => {
    const [year, number] = month.split('-').map(Number);
    return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 7);
  };
  const isCurrent = month >= new Date().toISOString().slice(0, 7);
  const open = (/** @type {number} */ by) => () => navigate(`/billing/statements/${other(by)}`);
  return html`<${PageHeader} title=${`Statement of ${monthName(month)}`} back=${html`<${Link} to="/billing">Billing<//>`} about=${user?.account.name || user?.user.email}>
      <${Button} onClick=${open(-1)}>← ${monthName(other(-1))}<//>
      <${Button} onClick=${open(1)} disabled=${isCurrent}>${monthName(other(1))} →<//>
      <${Button} kind="primary" onClick=${() => print()}>Print<//>
    <//>
    <${Loaded} of=${statement}>
      ${(/** @type {any} */ data) => {
        const line = (/** @type {string} */ name, /** @type {any} */ holding) => ({ kind: name, amount_cents: holding.balance_cents, free_scans: holding.free_scans });
        const rows = [line('Opening balance', data.opening), ...data.totals, line('Closing balance', data.closing)];
        const columns = [
          { title: 'What', cell: (/** @type {any} */ row) => words(row.kind) },
          { title: 'Free scans', numeric: true, cell: (/** @type {any} */ row) => row.free_scans },
          { title: 'Amount', numeric: true, cell: (/** @type {any} */ row) => money(row.amount_cents) },
        ];
        return html`<div class="card flush statement">
          <${Table} label="Statement" rows=${rows} columns=${columns} id=${(/** @type {any} */ row) => row.kind} />
        </div>
        <p class="muted small">${data.livemode ? 'Live mode' : 'Test mode: no real money moved'}. All times are UTC; amounts are in ${data.currency.toUpperCase()}.</p>`;
      }}
    <//>`;
}

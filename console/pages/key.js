// One API key: its settings, its use by day, rolling and revoking.

import { del, patch, post } from '../app/api.js';
import { date, dateAndTime, number, plural, utcDay } from '../app/format.js';
import { html, useState } from '../app/html.js';
import { useAction, useResource } from '../app/resource.js';
import { Link } from '../app/router.js';
import { SCOPES } from '../app/scopes.js';
import { Badge } from '../components/badge.js';
import { BarChart } from '../components/bar-chart.js';
import { ConfirmButton } from '../components/confirm.js';
import { CheckboxGroup, Form, TextField, fieldError } from '../components/form.js';
import { Card, Loaded, PageHeader } from '../components/layout.js';
import { NewSecret, Spent, statusOf } from './keys.js';

/** @typedef {import('../app/types.js').ApiKey} ApiKey */

/** @param {{ id: string }} props */
export function KeyPage({ id }) {
  const found = useResource(`/keys/${id}`);
  const uses = useResource(`/keys/${id}/uses`);
  const [secret, setSecret] = useState(/** @type {string | null} */ (null));
  const roll = async () => setSecret((await post(`/keys/${id}/roll`, {})).secret);
  const revoke = async () => {
    await del(`/keys/${id}`);
    await found.reload();
  };
  return html`<${Loaded} of=${found} rows=${6}>
    ${(/** @type {ApiKey} */ key) => html`
      <${PageHeader} title=${key.name} back=${html`<${Link} to="/keys">API keys<//>`} about=${html`<code>${key.hint}</code> · created ${date(key.created_at)}`}>
        <${Badge} status=${statusOf(key)} />
        ${key.active &&
        html`<${ConfirmButton} label="Roll" title="Roll this key?" confirm="Roll key" kind="plain" onConfirm=${roll}>
            A new key with the same settings is created. This one stays valid for 24 hours.
          <//>
          <${ConfirmButton} label="Revoke" title="Revoke this key?" confirm="Revoke key" onConfirm=${revoke}>
            Requests with it are refused at once. This cannot be undone.
          <//>`}
      <//>
      ${secret && html`<${NewSecret} secret=${secret} />`}
      ${key.expires_at && html`<p class="muted">Valid until ${dateAndTime(key.expires_at)}.</p>`}
      <div class="columns">
        <${Card} title="Spending this month"><${Spent} of=${key} /><//>
        <${Card} title="Requests by day"><${Loaded} of=${uses}>${(/** @type {any} */ list) => html`<${Uses} rows=${list.data} />`}<//><//>
      </div>
      ${key.active && html`<${Card} title="Settings"><${Settings} of=${key} onSaved=${found.replace} /><//>`}
    `}
  <//>`;
}

/** @param {{ rows: { day: string, requests: number }[] }} props */
function Uses({ rows }) {
  if (rows.length === 0) return html`<p class="muted">The key was not used yet.</p>`;
  const byDay = [...rows].sort((a, b) => a.day.localeCompare(b.day));
  const bars = byDay.map(({ day, requests }) => ({ name: utcDay(day), value: requests, text: plural(requests, 'request') }));
  const total = rows.reduce((sum, { requests }) => sum + requests, 0);
  return html`<p><strong>${number(total)}</strong> <span class="muted">requests</span></p><${BarChart} label="Requests by day" bars=${bars} />`;
}

/** @param {{ of: ApiKey, onSaved: (key: ApiKey) => void }} props */
function Settings({ of, onSaved }) {
  const [name, setName] = useState(of.name);
  const [scopes, setScopes] = useState(/** @type {string[]} */ (of.scopes));
  const [cap, setCap] = useState(of.monthly_cap_cents === null || of.monthly_cap_cents === undefined ? '' : String(of.monthly_cap_cents / 100));
  const action = useAction(async () => {
    onSaved(await patch(`/keys/${of.id}`, { name, scopes, monthly_cap_cents: cap === '' ? null : Math.round(Number(cap) * 100) }));
  });
  return html`<${Form} submit="Save" busy=${action.busy} error=${action.error} onSubmit=${action.run}>
    <${TextField} label="Name" value=${name} onValue=${setName} error=${fieldError(action.error, 'name')} required />
    <${TextField} label="Monthly cap in US dollars" value=${cap} onValue=${setCap} type="number" min="0" step="0.01" prefix="$" hint="Empty for no cap." error=${fieldError(action.error, 'monthly_cap_cents')} />
    <${CheckboxGroup} label="Scopes" values=${scopes} onValues=${setScopes} options=${SCOPES} />
  <//>`;
}

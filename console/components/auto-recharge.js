// Settings of automatic top-up.

import { put } from '../app/api.js';
import { html, useEffect, useState } from '../app/html.js';
import { useAction, useResource } from '../app/resource.js';
import { Checkbox, Form, TextField, fieldError } from './form.js';
import { Card, Loaded } from './layout.js';

/** @param {{ method: any, onSaved: () => unknown }} props */
export function AutoRecharge({ method, onSaved }) {
  const settings = useResource('/billing/auto-recharge');
  return html`<${Card} title="Automatic top-up" about="Tops up when the balance falls below a threshold, so that scans are not refused.">
    <${Loaded} of=${settings}>
      ${(/** @type {any} */ data) => html`<${Settings} of=${data} method=${method} onSaved=${async (/** @type {any} */ next) => {
        settings.replace(next);
        await onSaved();
      }} />`}
    <//>
  <//>`;
}

/** @param {{ of: any, method: any, onSaved: (settings: any) => unknown }} props */
function Settings({ of, method, onSaved }) {
  const [enabled, setEnabled] = useState(of.enabled);
  const [threshold, setThreshold] = useState(dollars(of.threshold_cents, 5));
  const [amount, setAmount] = useState(dollars(of.amount_cents, 20));
  const [limit, setLimit] = useState(dollars(of.daily_limit_cents, 100));
  useEffect(() => setEnabled(of.enabled), [of.enabled]);
  const cents = (/** @type {string} */ text) => Math.round(Number(text) * 100);
  const action = useAction(async () => {
    const body = { enabled, threshold_cents: cents(threshold), amount_cents: cents(amount), daily_limit_cents: cents(limit) };
    await onSaved(await put('/billing/auto-recharge', body));
  });
  const money = { type: 'number', min: '0', step: '0.01', prefix: '$', required: true };
  const error = (/** @type {string} */ field) => fieldError(action.error, field);
  return html`<${Form} submit="Save" kind="plain" busy=${action.busy} error=${action.error} onSubmit=${action.run}>
    <${Checkbox}
      label="Top up automatically"
      checked=${enabled}
      onValue=${setEnabled}
      hint=${method ? undefined : 'Needs a stored payment method.'}
    />
    <div class="fields">
      <${TextField} label="When it falls below" value=${threshold} onValue=${setThreshold} error=${error('threshold_cents')} ...${money} />
      <${TextField} label="Add" value=${amount} onValue=${setAmount} error=${error('amount_cents')} ...${money} />
      <${TextField} label="At most in 24 hours" value=${limit} onValue=${setLimit} error=${error('daily_limit_cents')} ...${money} />
    </div>
  <//>`;
}

/** @param {number | null | undefined} cents @param {number} initial */
const dollars = (cents, initial) => String(cents === null || cents === undefined ? initial : cents / 100);

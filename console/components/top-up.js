// Topping up the balance: creates a payment and follows it until the bank decides.

import { get, idempotencyKey, ownPath, post, wait } from '../app/api.js';
import { money, words } from '../app/format.js';
import { html, useEffect, useRef, useState } from '../app/html.js';
import { useAction } from '../app/resource.js';
import { Form, TextField, fieldError } from './form.js';
import { Card } from './layout.js';
import { Notice } from './notice.js';

/** @typedef {import('../app/types.js').TopUp} TopUpRow */

const POLL = 500;

/** @param {{ method: any, onDone: () => unknown, disabled?: boolean }} props */
export function TopUp({ method, onDone, disabled }) {
  const [amount, setAmount] = useState('20');
  const [payment, setPayment] = useState(/** @type {TopUpRow | null} */ (null));
  // A repeated submission after a lost response is the same payment.
  const key = useRef(idempotencyKey());
  const controller = useRef(new AbortController());
  useEffect(() => () => controller.current.abort(), []);
  const follow = async (/** @type {string} */ id) => {
    const { signal } = controller.current;
    for (;;) {
      const current = /** @type {TopUpRow} */ (await get(`/billing/top-ups/${id}`, { signal, quiet: true }));
      setPayment(current);
      if (current.status !== 'pending') return current;
      await wait(POLL);
      signal.throwIfAborted();
    }
  };
  const action = useAction(async () => {
    const created = await post('/billing/top-ups', { amount_cents: Math.round(Number(amount) * 100) }, { headers: key.current });
    key.current = idempotencyKey();
    setPayment(created);
    await follow(created.id);
    await onDone();
  });
  const check = useAction(async () => {
    if (payment) await follow(payment.id);
    await onDone();
  });
  return html`<${Card} title="Top up">
    <${Form} submit=${action.busy ? 'Waiting for the bank…' : 'Top up'} busy=${action.busy} error=${action.error} onSubmit=${action.run} disabled=${!method || disabled}>
      <${TextField}
        label="Amount in US dollars"
        type="number"
        min="1"
        step="0.01"
        prefix="$"
        value=${amount}
        onValue=${setAmount}
        hint=${method ? undefined : 'Store a payment method first.'}
        error=${fieldError(action.error, 'amount_cents')}
        required
      />
    <//>
    ${payment && html`<${Outcome} payment=${payment} check=${check.run} />`}
  <//>`;
}

/** @param {{ payment: TopUpRow, check: () => unknown }} props */
function Outcome({ payment, check }) {
  const amount = money(payment.amount_cents);
  if (payment.status === 'succeeded') return html`<${Notice} kind="good" role="status">${amount} was added to your balance.<//>`;
  if (payment.status === 'declined') {
    return html`<${Notice} kind="bad" role="alert">The bank declined ${amount}: ${words(payment.reason ?? 'no reason given')}.<//>`;
  }
  if (payment.status === 'needs_action') {
    return html`<${Notice} kind="warning" role="status">
      Your bank wants you to confirm ${amount}.
      <a class="button" target="_blank" rel="noopener" href=${confirmUrl(payment)}>Confirm at the bank</a>
      <button class="link" type="button" onClick=${check}>I have confirmed it</button>
    <//>`;
  }
  return html`<${Notice} role="status">The payment of ${amount} is in progress.<//>`;
}

/** The page of the bank; that of the simulated bank is a page of this service. @param {TopUpRow} payment */
function confirmUrl({ confirm_url: url }) {
  return url?.includes('/console/') ? ownPath(url) : url;
}

// The stored payment method.

import { del, get, post, put } from '../app/api.js';
import { words } from '../app/format.js';
import { html, useEffect, useState } from '../app/html.js';
import { mode } from '../app/mode.js';
import { useAction, useLoaded } from '../app/resource.js';
import { place, setQuery } from '../app/router.js';
import { useStore } from '../app/store.js';
import { ConfirmButton } from './confirm.js';
import { Form, SelectField } from './form.js';
import { Card, Loaded } from './layout.js';
import { ErrorNotice } from './notice.js';

/** Cards of the simulated bank. @type {[string, string][]} */
const TEST_CARDS = [
  ['pm_card_visa', '4242 4242 4242 4242 · succeeds'],
  ['pm_card_visa_chargeDeclinedInsufficientFunds', '4000 0000 0000 9995 · declined, insufficient funds'],
  ['pm_card_chargeCustomerFail', '4000 0000 0000 0341 · stored, and each charge is declined'],
  ['pm_card_authenticationRequired', '4000 0027 6000 3184 · asks for confirmation'],
];

/** @param {{ onMethod: (method: any) => void }} props `onMethod` gets `null` if none is stored */
export function PaymentMethod({ onMethod }) {
  const shownMode = useStore(mode);
  const stored = useLoaded(async (signal) => {
    const method = await get('/billing/payment-method', { signal }).catch((error) => {
      if (error.code === 'NO_PAYMENT_METHOD' || error.status === 404) return null;
      throw error;
    });
    return { method };
  }, []);
  useEffect(() => onMethod(stored.data?.method ?? null), [stored.data]);
  const [chosen, setChosen] = useState(TEST_CARDS[0][0]);
  const save = useAction(async () => stored.replace({ method: await put('/billing/payment-method', { payment_method: chosen }) }));
  const enter = useAction(async () => location.assign((await post('/billing/card-forms')).url));
  const complete = useAction(async (/** @type {string} */ form) => stored.replace({ method: await post('/billing/card-forms/complete', { card_form: form }) }));
  useEffect(() => {
    const form = place.get().query.get('card_form');
    if (!form || !stored.data) return;
    setQuery({ card_form: null });
    void complete.run(form);
  }, [stored.data]);
  const remove = async () => {
    await del('/billing/payment-method');
    stored.replace({ method: null });
  };
  return html`<${Card} title="Payment method">
    <${Loaded} of=${stored}>
      ${(/** @type {{ method: any }} */ { method }) => html`
        ${method
          ? html`<p class="between">
              <span><strong>${words(method.brand)}</strong> ending in ${method.last4}</span>
              <${ConfirmButton} label="Remove" title="Remove this payment method?" confirm="Remove" onConfirm=${remove}>
                Automatic top-up is turned off with it.
              <//>
            </p>`
          : html`<p class="muted">None is stored.</p>`}
        ${shownMode === 'test'
          ? html`<${Form} submit=${method ? 'Replace' : 'Store'} kind="plain" busy=${save.busy} error=${save.error} onSubmit=${save.run}>
              <${SelectField} label="Test card" value=${chosen} onValue=${setChosen} options=${TEST_CARDS} />
            <//>`
          : html`<${Form} submit=${method ? 'Replace the card' : 'Enter a card'} kind="plain" busy=${enter.busy} error=${enter.error} onSubmit=${enter.run}>
              <p class="muted small">You enter the card on the page of the bank, which brings you back here. Card numbers never reach this service.</p>
            <//>`}
        <${ErrorNotice} error=${complete.error} />
      `}
    <//>
  <//>`;
}

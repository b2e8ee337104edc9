// Reminds users to confirm their e-mail address.

import { post } from '../app/api.js';
import { html, useState } from '../app/html.js';
import { useAction } from '../app/resource.js';
import { loadSession, session } from '../app/session.js';
import { useStore } from '../app/store.js';

export function ConfirmAddress() {
  const user = useStore(session)?.user;
  const [sent, setSent] = useState(false);
  const send = useAction(async () => {
    await post('/auth/send-confirmation', undefined, { quiet: true });
    setSent(true);
  });
  if (!user || user.email_confirmed) return null;
  return html`<aside class="reminder" aria-label="Confirm your address">
    <span>Confirm <strong>${user.email}</strong> to use live mode. We have sent you a link.</span>
    <button class="link" type="button" disabled=${send.busy || sent} onClick=${send.run}>
      ${sent ? 'Sent' : 'Send it again'}
    </button>
    <button class="link" type="button" onClick=${() => loadSession()}>I have confirmed it</button>
    ${send.error && html`<span>${send.error.message}</span>`}
  </aside>`;
}

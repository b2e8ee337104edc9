// Asks for the password when the API requires that it was entered a short time ago.

import { passwordRequest, post } from '../app/api.js';
import { html, useEffect, useState } from '../app/html.js';
import { useAction } from '../app/resource.js';
import { useStore } from '../app/store.js';
import { Dialog } from './dialog.js';
import { Form, TextField } from './form.js';

export function PasswordPrompt() {
  const answer = useStore(passwordRequest);
  const [password, setPassword] = useState('');
  useEffect(() => setPassword(''), [answer]);
  const action = useAction(async () => {
    await post('/auth/confirm-password', { password }, { quiet: true });
    answer?.(true);
  });
  if (!answer) return null;
  return html`<${Dialog} title="Confirm your password" onClose=${() => answer(false)}>
    <${Form} submit="Confirm" busy=${action.busy} error=${action.error} onSubmit=${action.run} cancel=${() => answer(false)}>
      <p class="muted">Changes of live credentials and exports ask for your password again.</p>
      <${TextField} label="Password" type="password" value=${password} onValue=${setPassword} autocomplete="current-password" required />
    <//>
  <//>`;
}

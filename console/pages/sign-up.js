// Sign-up.

import { post } from '../app/api.js';
import { html, useEffect, useState } from '../app/html.js';
import { useAction } from '../app/resource.js';
import { Link } from '../app/router.js';
import { logIn } from '../app/session.js';
import { Entrance } from '../components/entrance.js';
import { Form, TextField, fieldError } from '../components/form.js';
import { Notice } from '../components/notice.js';

export function SignUpPage() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [taken, setTaken] = useState(false);
  const action = useAction(async () => {
    await post('/auth/sign-up', { email, password });
    // The API does not tell whether the address has an account. Only its owner can log in to it.
    await logIn(email, password).catch(() => setTaken(true));
  });
  useEffect(() => {
    document.title = 'Create an account · Scan Service';
  }, []);
  return html`<${Entrance} title="Create an account">
    ${taken &&
    html`<${Notice} kind="warning" role="status">
      We have sent a message to ${email}. Follow its link, or log in if you already have an account.
    <//>`}
    <${Form} submit="Create account" busy=${action.busy} error=${action.error} onSubmit=${action.run}>
      <${TextField}
        label="E-mail address"
        type="email"
        value=${email}
        onValue=${setEmail}
        autocomplete="email"
        error=${fieldError(action.error, 'email')}
        required
      />
      <${TextField}
        label="Password"
        type="password"
        value=${password}
        onValue=${setPassword}
        autocomplete="new-password"
        hint="At least 10 characters."
        error=${fieldError(action.error, 'password')}
        minlength="10"
        maxlength="200"
        required
      />
    <//>
    <p class="between"><${Link} to="/log-in">Log in instead<//></p>
  <//>`;
}

// Log-in.

import { html, useEffect, useState } from '../app/html.js';
import { useAction } from '../app/resource.js';
import { Link } from '../app/router.js';
import { logIn } from '../app/session.js';
import { Entrance } from '../components/entrance.js';
import { Form, TextField } from '../components/form.js';

export function LogInPage() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const action = useAction(() => logIn(email, password));
  useEffect(() => {
    document.title = 'Log in · Scan Service';
  }, []);
  return html`<${Entrance} title="Log in">
    <${Form} submit="Log in" busy=${action.busy} error=${action.error} onSubmit=${action.run}>
      <${TextField} label="E-mail address" type="email" value=${email} onValue=${setEmail} autocomplete="email" required />
      <${TextField} label="Password" type="password" value=${password} onValue=${setPassword} autocomplete="current-password" required />
    <//>
    <p class="between">
      <${Link} to="/sign-up">Create an account<//>
      <a href="/console/forgot-password">Forgot your password?</a>
    </p>
  <//>`;
}

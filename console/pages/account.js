// The user's account: sessions, password, export, audit log, closing.

import { del, download, get, post, wait } from '../app/api.js';
import { ago, dateAndTime, size } from '../app/format.js';
import { html, useEffect, useRef, useState } from '../app/html.js';
import { useAction, useList } from '../app/resource.js';
import { session } from '../app/session.js';
import { useStore } from '../app/store.js';
import { Button } from '../components/button.js';
import { Dialog } from '../components/dialog.js';
import { Form, TextField, fieldError } from '../components/form.js';
import { Card, Loaded, PageHeader } from '../components/layout.js';
import { ErrorNotice, Notice } from '../components/notice.js';
import { Table } from '../components/table.js';

/** @typedef {import('../app/types.js').AuditEntry} AuditEntry */

export function AccountPage() {
  const user = useStore(session)?.user;
  return html`<${PageHeader} title="Account" about=${user?.email} />
    <${Sessions} />
    <div class="columns"><${Password} /><${Address} /></div>
    <${Export} />
    <${AuditLog} />
    <${Closing} />`;
}

function Sessions() {
  const sessions = useList('/auth/sessions');
  const end = useAction(async (/** @type {any} */ row) => {
    await del(`/auth/sessions/${row.id}`);
    if (row.current) session.set(null);
    else await sessions.reload();
  });
  const columns = [
    { title: 'Browser', cell: (/** @type {any} */ row) => html`${browserOf(row.user_agent)} ${row.current && html`<span class="badge good">This session</span>`}` },
    { title: 'Address', cell: (/** @type {any} */ row) => row.client_address ?? '–' },
    { title: 'Last used', cell: (/** @type {any} */ row) => ago(row.last_seen_at) },
    { title: 'End', cell: (/** @type {any} */ row) => html`<${Button} onClick=${() => end.run(row)}>Log out<//>` },
  ];
  return html`<${Card} title="Sessions" class="flush">
    <${ErrorNotice} error=${end.error} />
    <${Loaded} of=${sessions}>${() => html`<${Table} label="Sessions" rows=${sessions.rows ?? []} columns=${columns} id=${(/** @type {any} */ row) => row.id} />`}<//>
  <//>`;
}

/** Returns the name of a browser and a system. @param {string | null | undefined} agent */
function browserOf(agent) {
  if (!agent) return 'Unknown browser';
  const find = (/** @type {string[]} */ names) => names.find((name) => agent.includes(name));
  const browser = find(['Firefox', 'Edg', 'OPR', 'Chrome', 'Safari', 'curl']) ?? 'Browser';
  const system = find(['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS', 'Linux']) ?? '';
  return `${browser === 'Edg' ? 'Edge' : browser}${system ? ` on ${system}` : ''}`;
}

function Password() {
  const [password, setPassword] = useState('');
  const [next, setNext] = useState('');
  const [changed, setChanged] = useState(false);
  const action = useAction(async () => {
    await post('/auth/change-password', { password, new_password: next });
    setPassword('');
    setNext('');
    setChanged(true);
  });
  return html`<${Card} title="Password" about="Changing it ends all other sessions.">
    ${changed && html`<${Notice} kind="good" role="status">Your password is changed.<//>`}
    <${Form} submit="Change password" kind="plain" busy=${action.busy} error=${action.error} onSubmit=${action.run}>
      <${TextField} label="Current password" type="password" value=${password} onValue=${setPassword} autocomplete="current-password" required />
      <${TextField} label="New password" type="password" value=${next} onValue=${setNext} autocomplete="new-password" hint="At least 10 characters." error=${fieldError(action.error, 'new_password')} minlength="10" required />
    <//>
  <//>`;
}

function Address() {
  const [password, setPassword] = useState('');
  const [email, setEmail] = useState('');
  const [sent, setSent] = useState('');
  const action = useAction(async () => {
    await post('/auth/change-email', { password, email });
    setSent(email);
  });
  return html`<${Card} title="E-mail address" about="The new address counts once its link is confirmed.">
    ${sent && html`<${Notice} kind="good" role="status">We have sent a link to ${sent}.<//>`}
    <${Form} submit="Change address" kind="plain" busy=${action.busy} error=${action.error} onSubmit=${action.run}>
      <${TextField} label="New address" type="email" value=${email} onValue=${setEmail} autocomplete="email" error=${fieldError(action.error, 'email')} required />
      <${TextField} label="Password" type="password" value=${password} onValue=${setPassword} autocomplete="current-password" required />
    <//>
  <//>`;
}

function Export() {
  const [state, setState] = useState(/** @type {any} */ (null));
  const controller = useRef(new AbortController());
  useEffect(() => () => controller.current.abort(), []);
  const action = useAction(async () => {
    const { signal } = controller.current;
    let current = await post('/auth/exports');
    setState(current);
    while (current.state === 'pending') {
      await wait(1000);
      signal.throwIfAborted();
      current = await get(`/auth/exports/${current.id}`, { signal, quiet: true });
      setState(current);
    }
  });
  const save = useAction(() => download(`/auth/exports/${state.id}/archive`, 'scan-export.zip'));
  const make = html`<${Button} busy=${action.busy} onClick=${action.run}>${action.busy ? 'Building…' : 'Export everything'}<//>`;
  return html`<${Card} title="Export" actions=${make} about="A zip of everything the account has in both modes: records as JSON, documents, frames and media.">
    <${ErrorNotice} error=${action.error ?? save.error} />
    ${state?.state === 'ready' &&
    html`<${Notice} kind="good" role="status">
      <p>The export is ready${state.bytes ? ` (${size(state.bytes)})` : ''}. It can be downloaded until ${dateAndTime(state.expires_at)}.</p>
      <${Button} kind="primary" busy=${save.busy} onClick=${save.run}>Download<//>
    <//>`}
  <//>`;
}

function AuditLog() {
  const entries = useList('/auth/audit-log');
  const columns = [
    { title: 'When', cell: (/** @type {AuditEntry} */ row) => dateAndTime(row.at) },
    { title: 'What', cell: (/** @type {AuditEntry} */ row) => html`<code>${row.action}</code>` },
    { title: 'Subject', cell: (/** @type {AuditEntry} */ row) => html`<code class="muted break">${row.subject}</code>` },
    { title: 'From', cell: (/** @type {AuditEntry} */ row) => row.client_address ?? '–' },
  ];
  return html`<${Card} title="Audit log" class="flush" about="Log-ins and every change in the account.">
    <${Loaded} of=${entries}>
      ${() => html`<${Table} label="Audit log" rows=${entries.rows ?? []} columns=${columns} id=${(/** @type {AuditEntry} */ row) => row.at + row.action + row.subject} more=${entries.more} loadingMore=${entries.loadingMore} />`}
    <//>
  <//>`;
}

function Closing() {
  const [open, setOpen] = useState(false);
  const [password, setPassword] = useState('');
  const action = useAction(async () => {
    await del('/auth/account', { password });
    session.set(null);
  });
  const start = html`<${Button} kind="danger" onClick=${() => setOpen(true)}>Close account<//>`;
  return html`<${Card} title="Close the account" actions=${start} about="Deletes everything for good, with no grace period. Money left in a wallet is not paid back.">
    ${open &&
    html`<${Dialog} title="Close the account for good?" onClose=${() => setOpen(false)}>
      <${Form} submit="Close account" kind="danger solid" busy=${action.busy} error=${action.error} onSubmit=${action.run} cancel=${() => setOpen(false)}>
        <p>Keys, sessions, endpoints, spaces, scans and media are deleted. Export them first if you need them.</p>
        <${TextField} label="Password" type="password" value=${password} onValue=${setPassword} autocomplete="current-password" required />
      <//>
    <//>`}
  <//>`;
}

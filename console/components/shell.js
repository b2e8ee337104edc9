// The frame around every page: navigation, mode, user.

import { html, useEffect, useState } from '../app/html.js';
import { Link, place } from '../app/router.js';
import { logOut, session } from '../app/session.js';
import { mode } from '../app/mode.js';
import { useStore } from '../app/store.js';
import { ApiCalls } from './api-calls.js';
import { ConfirmAddress } from './confirm-address.js';
import { Icon } from './icons.js';
import { ModeSwitch } from './mode-switch.js';
import { PasswordPrompt } from './password-prompt.js';

const SECTIONS = [
  ['/', 'Spaces', 'spaces'],
  ['/search', 'Search', 'search'],
  ['/keys', 'API keys', 'keys'],
  ['/webhooks', 'Webhooks', 'webhooks'],
  ['/billing', 'Billing', 'billing'],
  ['/account', 'Account', 'account'],
];

/** @param {{ children?: unknown }} props */
export function Shell({ children }) {
  const { path } = useStore(place);
  const shownMode = useStore(mode);
  const user = useStore(session)?.user;
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(false), [path]);
  useEffect(() => {
    document.documentElement.dataset.mode = shownMode;
  }, [shownMode]);
  const isCurrent = (/** @type {string} */ to) =>
    to === '/' ? path === '/' || path.startsWith('/spaces') : path.startsWith(to);
  return html`<a class="skip" href="#main">Skip to content</a>
    <div class="shell">
      <header class="side" data-open=${open}>
        <div class="brand">
          <${Link} to="/" aria-label="Scan Service"><${Mark} /> <span>Scan Service</span><//>
          <${ModeSwitch} />
          <button class="icon menu" type="button" aria-expanded=${open} aria-controls="navigation" onClick=${() => setOpen(!open)}>
            <span class="visually-hidden">Menu</span><span aria-hidden="true">☰</span>
          </button>
        </div>
        <nav id="navigation" aria-label="Sections">
          ${SECTIONS.map(
            ([to, text, icon]) =>
              html`<${Link} key=${to} to=${to} aria-current=${isCurrent(to) ? 'page' : undefined}><${Icon} name=${icon} />${text}<//>`,
          )}
          <a href="/docs"><${Icon} name="docs" />API reference</a>
          <div class="user">
            <span class="email" title=${user?.email}>${user?.email}</span>
            <button class="link" type="button" onClick=${logOut}>Log out</button>
          </div>
        </nav>
      </header>
      <div class="content">
        ${shownMode === 'test'
          ? html`<aside class="mode-bar test" aria-label="Mode">Test data. Scans run for real and no real money moves.</aside>`
          : html`<aside class="mode-bar live" aria-label="Mode">Live data. Scans are charged to your live balance.</aside>`}
        <${ConfirmAddress} />
        <main id="main">${children}</main>
        <footer><${ApiCalls} /></footer>
      </div>
    </div>
    <${PasswordPrompt} />`;
}

export function Mark() {
  return html`<svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
    <path d="M3 8V4.5A1.5 1.5 0 0 1 4.5 3H8M16 3h3.5A1.5 1.5 0 0 1 21 4.5V8M21 16v3.5a1.5 1.5 0 0 1-1.5 1.5H16M8 21H4.5A1.5 1.5 0 0 1 3 19.5V16" />
    <path class="accent" d="M7.5 16V9.8L12 7l4.5 2.8V16z" />
  </svg>`;
}

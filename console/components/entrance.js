// The frame of pages without a session.

import { html } from '../app/html.js';
import { Mark } from './shell.js';

/** @param {{ title: string, children?: unknown }} props */
export function Entrance({ title, children }) {
  return html`<main class="door">
    <div class="door-brand"><${Mark} /> Scan Service</div>
    <div class="card door-card">
      <h1>${title}</h1>
      ${children}
    </div>
    <p class="muted small">
      Turn a walk through a place into facts with evidence. <a href="/docs">API reference</a>
    </p>
  </main>`;
}

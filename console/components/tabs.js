// Tabs of a page. The open tab is part of the address.

import { html } from '../app/html.js';
import { Link } from '../app/router.js';

/** @param {{ label: string, tabs: { to: string, text: string, current: boolean }[] }} props */
export function Tabs({ label, tabs }) {
  return html`<nav class="tabs" aria-label=${label}>
    ${tabs.map(
      ({ to, text, current }) =>
        html`<${Link} key=${to} to=${to} aria-current=${current ? 'page' : undefined}>${text}<//>`,
    )}
  </nav>`;
}

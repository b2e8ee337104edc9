// Tabs of a page. The open tab is part of the address.

import { html, useEffect, useRef } from '../app/html.js';
import { Link } from '../app/router.js';

/** @param {{ label: string, tabs: { to: string, text: string, current: boolean }[] }} props */
export function Tabs({ label, tabs }) {
  const element = useRef(/** @type {HTMLElement | null} */ (null));
  const shown = tabs.find(({ current }) => current)?.to;
  useEffect(() => {
    // On a phone, the tabs are wider than the window.
    element.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [shown]);
  return html`<nav class="tabs" aria-label=${label} ref=${element}>
    ${tabs.map(
      ({ to, text, current }) =>
        html`<${Link} key=${to} to=${to} aria-current=${current ? 'page' : undefined}>${text}<//>`,
    )}
  </nav>`;
}

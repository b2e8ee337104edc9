// Icons of the navigation, drawn on a grid of 16.

import { html } from '../app/html.js';

/** @type {Record<string, string>} */
const PATHS = {
  spaces: 'M2 6.5 8 2l6 4.5V14H2zM6 14V9.5h4V14',
  search: 'M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.5 10.5 14 14',
  keys: 'M10.5 2a3.5 3.5 0 1 1-3 5.3L2 12.8V14h2.5v-1.7h1.7v-1.7h1.6l.8-.9',
  billing: 'M1.5 4h13v8.5h-13zM1.5 7h13',
  webhooks: 'M8 2.5a2.5 2.5 0 0 1 1.3 4.6l2 3.6M3.8 8.6a2.5 2.5 0 1 0 2.6 3.6h4.2M12 9.9a2.3 2.3 0 1 1-1.6 3.9M7 6.9 5 10.7',
  account: 'M8 2.5a2.7 2.7 0 1 1 0 5.4 2.7 2.7 0 0 1 0-5.4zM2.5 14c.4-3 2.6-4.5 5.5-4.5s5.1 1.5 5.5 4.5',
  docs: 'M3.5 2h6L13 5.5V14H3.5zM9.5 2v3.5H13M6 8.5h4M6 11h4',
};

/** @param {{ name: string }} props */
export function Icon({ name }) {
  return html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d=${PATHS[name]} /></svg>`;
}

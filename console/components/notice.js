// Messages in a page: errors with their page, and notes.

import { html } from '../app/html.js';

/**
 * A note. `kind` is `info`, `good`, `warning` or `bad`.
 * @param {{ kind?: string, title?: string, children?: unknown, role?: string }} props
 */
export function Notice({ kind = 'info', title, children, role }) {
  return html`<div class="notice ${kind}" role=${role}>
    ${title && html`<strong>${title}</strong>`}
    <div>${children}</div>
  </div>`;
}

/**
 * An error of the API, with the page that explains it; nothing without an error.
 * @param {{ error: import('../app/errors.js').ApiError | null, retry?: () => unknown }} props
 */
export function ErrorNotice({ error, retry }) {
  if (!error) return null;
  const others = error.fields.map(
    ({ field, message }) => html`<li key=${field}><code>${field}</code> ${message}</li>`,
  );
  return html`<${Notice} kind="bad" role="alert">
    <p>${error.message}</p>
    ${others.length > 1 && html`<ul>${others}</ul>`}
    <p class="small">
      ${error.help && html`<a href=${error.help} target="_blank">${error.code}</a>`}
      ${error.requestId && html`<span> · Request <code>${error.requestId}</code></span>`}
      ${retry && html` <button class="link" type="button" onClick=${retry}>Try again</button>`}
    </p>
  <//>`;
}

// Buttons.

import { html } from '../app/html.js';

/**
 * A button. `kind` is `primary`, `plain`, `danger` or `quiet`.
 * @param {{ kind?: string, busy?: boolean, type?: string, disabled?: boolean, children?: unknown,
 *   [attribute: string]: unknown }} props
 */
export function Button({ kind = 'plain', busy = false, type = 'button', disabled, children, ...attributes }) {
  return html`<button
    class="button ${kind}"
    type=${type}
    disabled=${disabled || busy}
    aria-busy=${busy ? 'true' : undefined}
    ...${attributes}
  >
    ${children}
  </button>`;
}

// The switch between test and live mode.

import { html } from '../app/html.js';
import { mode, setMode } from '../app/mode.js';
import { useStore } from '../app/store.js';

export function ModeSwitch() {
  const shown = useStore(mode);
  return html`<div class="mode-switch" role="group" aria-label="Mode">
    ${['test', 'live'].map(
      (value) => html`<button
        key=${value}
        type="button"
        class=${value}
        aria-pressed=${shown === value}
        onClick=${() => setMode(/** @type {any} */ (value))}
      >
        ${value === 'test' ? 'Test' : 'Live'}
      </button>`,
    )}
  </div>`;
}

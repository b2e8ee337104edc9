// The API calls behind a page, as commands to copy.

import { calls, curl } from '../app/calls.js';
import { html } from '../app/html.js';
import { useStore } from '../app/store.js';
import { CopyButton } from './copy.js';

export function ApiCalls() {
  const list = useStore(calls);
  if (list.length === 0) return null;
  return html`<details class="api-calls">
    <summary>API calls of this page <span class="count">${list.length}</span></summary>
    <ol>
      ${list.map(
        (call) => html`<li key=${call.method + call.path}>
          <div class="command" tabindex="0" role="region" aria-label=${`${call.method} ${call.path}`}>
            <pre><code>${curl(call)}</code></pre>
          </div>
          <${CopyButton} text=${curl(call)} label="Copy as curl" />
        </li>`,
      )}
    </ol>
    <p class="muted small">The console uses the public API. <a href="/docs">Read the reference</a>.</p>
  </details>`;
}

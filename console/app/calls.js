// The API calls behind the page that is shown, for "API calls" in the footer.

import { mode } from './mode.js';
import { createStore } from './store.js';

/** @typedef {{ method: string, path: string, body?: unknown }} Call */

/** Calls of the page, without repetitions. */
export const calls = createStore(/** @type {Call[]} */ ([]));
const MAX_CALLS = 20;
/** Endpoints that take a session and no key. */
const CONSOLE_PATHS = ['/auth/', '/billing/', '/keys', '/webhook-endpoints'];
/** Fields that the shown command leaves out. */
const SECRET_FIELDS = ['password', 'new_password', 'token'];

/** @param {Call} call */
export function recordCall(call) {
  const same = (/** @type {Call} */ other) => other.method === call.method && other.path === call.path;
  calls.set([...calls.get().filter((other) => !same(other)), call].slice(-MAX_CALLS));
}

export function clearCalls() {
  calls.set([]);
}

/**
 * Returns the `curl` command of a call.
 * @param {Call} call
 */
export function curl({ method, path, body }) {
  const origin = location.origin;
  const parts = [`curl${method === 'GET' ? '' : ` -X ${method}`} ${quote(`${origin}/v1${path}`)}`];
  if (CONSOLE_PATHS.some((prefix) => path.startsWith(prefix))) {
    parts.push('--cookie "scan_session=$SCAN_SESSION"', `-H 'Scan-Mode: ${mode.get()}'`);
    if (method !== 'GET') parts.push(`-H 'Origin: ${origin}'`);
  } else {
    parts.push('-H "Authorization: Bearer $SCAN_API_KEY"');
  }
  if (body !== undefined) parts.push(`--json ${quote(JSON.stringify(withoutSecrets(body)))}`);
  return parts.join(' \\\n  ');
}

/** @param {unknown} body */
function withoutSecrets(body) {
  if (typeof body !== 'object' || body === null) return body;
  const entries = Object.entries(body);
  return Object.fromEntries(entries.map(([name, value]) => [name, SECRET_FIELDS.includes(name) ? '…' : value]));
}

/** @param {string} text */
function quote(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

// The client of the API. Every page uses the public endpoints with the session cookie and `Scan-Mode`.

import { recordCall } from './calls.js';
import { ApiError, errorOf, networkError } from './errors.js';
import { mode } from './mode.js';
import { createStore } from './store.js';

/** Path of the API. */
export const BASE = '/v1';
/** Longest time that a request waits for its rate limit, in seconds. */
const MAX_WAIT = 30;
/** Attempts of a request that may be repeated. */
const ATTEMPTS = 4;

/**
 * @typedef {object} RequestOptions
 * @property {Record<string, string | number | null | undefined>} [query]
 * @property {unknown} [body] JSON
 * @property {Record<string, string>} [headers]
 * @property {AbortSignal} [signal]
 * @property {boolean} [repeatable] whether a POST may be sent again, because it is idempotent by contract
 * @property {boolean} [quiet] whether the page's list of API calls leaves it out
 */

/** Set while a request waits for the password: resolves it with whether the user entered it. */
export const passwordRequest = createStore(/** @type {((confirmed: boolean) => void) | null} */ (null));
/** Increased when the session is refused. */
export const sessionEnded = createStore(0);

/** @param {number} ms */
export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Sends a request and returns the response's JSON; `null` for an empty body.
 * @param {string} method
 * @param {string} path below `/v1`
 * @param {RequestOptions} [options]
 * @returns {Promise<any>}
 */
export async function request(method, path, options = {}) {
  const response = await send(method, path, options);
  return response.status === 204 ? null : response.json();
}

/** @type {(path: string, options?: RequestOptions) => Promise<any>} */
export const get = (path, options) => request('GET', path, options);
/** @type {(path: string, body?: unknown, options?: RequestOptions) => Promise<any>} */
export const post = (path, body, options) => request('POST', path, { ...options, body });
/** @type {(path: string, body: unknown) => Promise<any>} */
export const put = (path, body) => request('PUT', path, { body });
/** @type {(path: string, body: unknown) => Promise<any>} */
export const patch = (path, body) => request('PATCH', path, { body });
/** @type {(path: string, body?: unknown) => Promise<any>} */
export const del = (path, body) => request('DELETE', path, { body });

/** Returns a value for `Idempotency-Key`. */
export const idempotencyKey = () => ({ 'Idempotency-Key': randomId() });

function randomId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Sends a request, after a refused attempt again where that is safe, and returns its response.
 * @param {string} method
 * @param {string} path
 * @param {RequestOptions} options
 */
export async function send(method, path, options = {}) {
  const url = BASE + path + queryString(options.query);
  if (!options.quiet) recordCall({ method, path: path + queryString(options.query), body: options.body });
  for (let attempt = 1; ; attempt += 1) {
    const response = await attemptOnce(method, url, options);
    if (response instanceof Response && response.ok) return response;
    const error = response instanceof Response ? await errorOf(response) : networkError();
    if (error.code === 'REAUTHENTICATION_REQUIRED' && (await confirmPassword())) continue;
    if (error.code === 'UNAUTHENTICATED') sessionEnded.set(sessionEnded.get() + 1);
    const delay = delayOfRetry(method === 'GET' || Boolean(options.repeatable), error, attempt);
    if (delay === null) throw error;
    await wait(delay * 1000);
    options.signal?.throwIfAborted();
  }
}

/**
 * @param {string} method
 * @param {string} url
 * @param {RequestOptions} options
 * @returns {Promise<Response | null>} `null` without a response
 */
async function attemptOnce(method, url, { body, headers, signal }) {
  const init = { method, signal, headers: { 'Scan-Mode': mode.get(), ...headers } };
  if (body !== undefined) {
    Object.assign(init, { body: JSON.stringify(body) });
    Object.assign(init.headers, { 'Content-Type': 'application/json' });
  }
  try {
    return await fetch(url, init);
  } catch (error) {
    if (signal?.aborted) throw error;
    return null;
  }
}

/**
 * Returns the seconds until a request is sent again; `null` if it fails now. Requests that were
 * refused by a rate limit changed nothing, so all of them may be repeated.
 * @param {boolean} repeatable
 * @param {ApiError} error
 * @param {number} attempt
 */
function delayOfRetry(repeatable, error, attempt) {
  if (attempt >= ATTEMPTS) return null;
  const after = error.retryAfter ?? 0;
  if (error.code === 'RATE_LIMIT_EXCEEDED') return after <= MAX_WAIT ? after : null;
  const passing = error.status === 0 || error.status === 503;
  return repeatable && passing ? Math.max(after, 2 ** (attempt - 2)) : null;
}

/** Asks the user for the password, and returns whether it was entered. */
function confirmPassword() {
  return new Promise((resolve) => {
    passwordRequest.set((confirmed) => {
      passwordRequest.set(null);
      resolve(confirmed);
    });
  });
}

/** @param {RequestOptions['query']} query */
function queryString(query = {}) {
  const pairs = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== '');
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  return text ? `?${text}` : '';
}

/**
 * Saves the body of a response as a file.
 * @param {string} path
 * @param {string} name
 * @param {Record<string, string>} [headers]
 */
export async function download(path, name, headers) {
  const response = await send('GET', path, { headers });
  saveAs(await response.blob(), name);
}

/**
 * Saves bytes as a file.
 * @param {Blob} blob
 * @param {string} name
 */
export function saveAs(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/**
 * Returns a signed URL as a path of this origin, so that the console works at every address of the
 * service.
 * @param {string | null | undefined} url
 */
export function ownPath(url) {
  if (!url) return null;
  const { pathname, search } = new URL(url, location.href);
  return pathname + search;
}

// Pages by path. Links are ordinary links; clicks on them load no document.

import { html } from './html.js';
import { clearCalls } from './calls.js';
import { createStore } from './store.js';

/** Path of the console. */
export const ROOT = '/console';

/** @typedef {{ path: string, query: URLSearchParams }} Place */

/** The shown place: path below the root, without a slash at the end, and query. */
export const place = createStore(current());

/** @returns {Place} */
function current() {
  const path = location.pathname.slice(ROOT.length).replace(/\/+$/, '') || '/';
  return { path, query: new URLSearchParams(location.search) };
}

/**
 * Shows a path below the root.
 * @param {string} path with query
 * @param {{ replace?: boolean }} [options]
 */
export function navigate(path, { replace = false } = {}) {
  const before = place.get().path;
  history[replace ? 'replaceState' : 'pushState'](null, '', ROOT + path);
  const next = current();
  if (next.path !== before) {
    clearCalls();
    scrollTo(0, 0);
  }
  place.set(next);
}

/**
 * Changes parameters of the query; `null` removes one.
 * @param {Record<string, string | null>} changes
 * @param {{ replace?: boolean }} [options]
 */
export function setQuery(changes, options = { replace: true }) {
  const { path, query } = current();
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  navigate(path + (text ? `?${text}` : ''), options);
}

export function startRouter() {
  addEventListener('popstate', () => {
    if (current().path !== place.get().path) clearCalls();
    place.set(current());
  });
}

/**
 * Matches a path with a template, for example `/spaces/:id`. Returns its parameters, or `null`.
 * @param {string} template
 * @param {string} path
 * @returns {Record<string, string> | null}
 */
export function match(template, path) {
  const [names, parts] = [template.split('/'), path.split('/')];
  if (names.length !== parts.length) return null;
  /** @type {Record<string, string>} */
  const params = {};
  for (const [index, name] of names.entries()) {
    if (name.startsWith(':')) params[name.slice(1)] = decodeURIComponent(parts[index]);
    else if (name !== parts[index]) return null;
  }
  return params;
}

/**
 * A link to a page of the console.
 * @param {{ to: string, children?: unknown, [attribute: string]: unknown }} props
 */
export function Link({ to, children, ...attributes }) {
  const open = (/** @type {MouseEvent} */ event) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return html`<a href=${ROOT + to} onClick=${open} ...${attributes}>${children}</a>`;
}

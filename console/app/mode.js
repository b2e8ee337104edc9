// The mode that the console shows: test or live. A tab keeps its mode, and a new tab starts with the
// mode of the last one.

import { createStore } from './store.js';

/** @typedef {'test' | 'live'} Mode */

const KEY = 'scan.mode';

/** @returns {Mode} */
function stored() {
  const value = sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY);
  return value === 'live' ? 'live' : 'test';
}

export const mode = createStore(stored());

/** @param {Mode} next */
export function setMode(next) {
  sessionStorage.setItem(KEY, next);
  localStorage.setItem(KEY, next);
  mode.set(next);
}

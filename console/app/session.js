// The logged-in user.

import { get, post, sessionEnded } from './api.js';
import { ApiError } from './errors.js';
import { createStore } from './store.js';

/** @typedef {import('./types.js').Session} Session */

/** The session; `null` if nobody is logged in, `undefined` until that is known. */
export const session = createStore(/** @type {Session | null | undefined} */ (undefined));
/** Path to show after log-in. */
export const afterLogIn = createStore('/');

/** Loads the session. An outage of the service is an error, not a log-out. */
export async function loadSession() {
  try {
    session.set(await get('/auth/session', { quiet: true }));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    session.set(null);
  }
}

/**
 * @param {string} email
 * @param {string} password
 */
export async function logIn(email, password) {
  session.set(await post('/auth/log-in', { email, password }));
}

export async function logOut() {
  await post('/auth/log-out');
  session.set(null);
}

// A refused session was ended in another tab, by its owner elsewhere, or by time.
sessionEnded.subscribe(() => {
  if (session.get()) session.set(null);
});

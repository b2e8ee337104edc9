// Data of a page: loaded when the page opens or the mode changes, loaded again on demand.

import { get } from './api.js';
import { asApiError } from './errors.js';
import { useCallback, useEffect, useRef, useState } from './html.js';
import { mode } from './mode.js';
import { useStore } from './store.js';

/** Pause before data is loaded again that could not be loaded because of an outage. */
const RETRY_SECONDS = 3;

/**
 * @template T
 * @typedef {object} Resource
 * @property {T | null} data
 * @property {import('./errors.js').ApiError | null} error
 * @property {boolean} loading
 * @property {() => Promise<void>} reload
 * @property {(data: T) => void} replace
 */

/**
 * Loads data with a function of a signal. `dependencies` load it again.
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} load
 * @param {unknown[]} dependencies
 * @returns {Resource<T>}
 */
export function useLoaded(load, dependencies) {
  const shownMode = useStore(mode);
  const [state, setState] = useState(
    /** @type {{ data: T | null, error: any, loading: boolean }} */ ({ data: null, error: null, loading: true }),
  );
  const latest = useRef(load);
  latest.current = load;
  const controller = useRef(/** @type {AbortController | null} */ (null));
  const reload = useCallback(async () => {
    controller.current?.abort();
    const own = new AbortController();
    controller.current = own;
    try {
      const data = await latest.current(own.signal);
      if (!own.signal.aborted) setState({ data, error: null, loading: false });
    } catch (error) {
      if (!own.signal.aborted) setState((old) => ({ ...old, error: asApiError(error), loading: false }));
    }
  }, []);
  useEffect(() => {
    setState({ data: null, error: null, loading: true });
    void reload();
    return () => controller.current?.abort();
  }, [shownMode, ...dependencies]);
  useEffect(() => {
    const outage = state.error?.status === 0 || state.error?.status === 503;
    if (!outage) return undefined;
    const timer = setTimeout(reload, RETRY_SECONDS * 1000);
    return () => clearTimeout(timer);
  }, [state.error]);
  const replace = useCallback((/** @type {T} */ data) => setState({ data, error: null, loading: false }), []);
  return { ...state, reload, replace };
}

/**
 * Loads a path; nothing for `null`.
 * @param {string | null} path
 * @param {Record<string, string | number | null | undefined>} [query]
 * @returns {Resource<any>}
 */
export function useResource(path, query) {
  const load = (/** @type {AbortSignal} */ signal) => (path ? get(path, { query, signal }) : Promise.resolve(null));
  return useLoaded(load, [path, JSON.stringify(query ?? null)]);
}

/**
 * Loads a list page by page.
 * @param {string} path
 * @param {Record<string, string | number | null | undefined>} [query]
 */
export function useList(path, query) {
  const first = useResource(path, query);
  const [loadingMore, setLoadingMore] = useState(false);
  const more = async () => {
    const cursor = first.data?.next_cursor;
    if (!cursor || loadingMore) return;
    setLoadingMore(true);
    try {
      const next = await get(path, { query: { ...query, cursor } });
      first.replace({ ...next, data: [...first.data.data, ...next.data] });
    } finally {
      setLoadingMore(false);
    }
  };
  const rows = first.data?.data ?? null;
  return { ...first, rows, more: first.data?.next_cursor ? more : null, loadingMore };
}

/**
 * Runs an action that a button or form starts: one at a time, with its error.
 * @template {unknown[]} A
 * @param {(...args: A) => Promise<unknown>} action
 */
export function useAction(action) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {import('./errors.js').ApiError | null} */ (null));
  const running = useRef(false);
  const run = async (/** @type {A} */ ...args) => {
    if (running.current) return undefined;
    running.current = true;
    setBusy(true);
    setError(null);
    try {
      return await action(...args);
    } catch (failure) {
      setError(asApiError(failure));
      return undefined;
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return { run, busy, error, setError };
}

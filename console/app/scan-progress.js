// Follows a scan until it ends.

import { get } from './api.js';
import { followEvents } from './events.js';
import { useEffect, useState } from './html.js';
import { asApiError } from './errors.js';

/** @typedef {import('./types.js').Scan} Scan */

/** Time between two reads of the progress, in milliseconds. Events report only the end of a scan. */
const POLL = 1000;
const ENDED = ['complete', 'failed', 'cancelled'];

/** @param {Scan} scan */
export const hasEnded = (scan) => ENDED.includes(scan.status);

/**
 * Returns a scan, kept up to date until it ends.
 * @param {string} id
 */
export function useScan(id) {
  const [scan, setScan] = useState(/** @type {Scan | null} */ (null));
  const [error, setError] = useState(/** @type {import('./errors.js').ApiError | null} */ (null));
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const read = async () => {
      clearTimeout(timer);
      try {
        const next = await get(`/scans/${id}`, { signal });
        if (signal.aborted) return;
        setError(null);
        setScan(next);
        if (hasEnded(next)) controller.abort();
        else timer = setTimeout(read, document.hidden ? 10 * POLL : POLL);
      } catch (failure) {
        if (signal.aborted) return;
        setError(asApiError(failure));
        timer = setTimeout(read, 10 * POLL);
      }
    };
    const onVisible = () => !document.hidden && !signal.aborted && void read();
    document.addEventListener('visibilitychange', onVisible, { signal });
    void read();
    void followEvents((event) => {
      const data = /** @type {any} */ (event.data);
      if (data.scan?.id === id) void read();
    }, signal);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [id]);
  return { scan, error, setScan };
}

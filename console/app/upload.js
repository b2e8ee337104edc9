// Uploads of a scan's media. A video starts again by itself after a lost connection; photos that were
// uploaded are skipped.

import { BASE, ownPath, post, wait } from './api.js';
import { ApiError, networkError } from './errors.js';
import { mode } from './mode.js';

/** @typedef {import('./types.js').Scan} Scan */
/** @typedef {{ sent: number, total: number, done: number, count: number, retrying: boolean }} Progress */

/** Longest pause between two attempts, in seconds. */
const MAX_PAUSE = 15;
/** Attempts of one file, pauses without a connection not counted. */
const MAX_ATTEMPTS = 8;
/** Photos that are uploaded at a time. */
const PARALLEL = 3;

/** Media types that the service accepts. */
export const VIDEO_TYPES = ['video/mp4', 'video/quicktime', 'video/webm', 'video/x-matroska'];
export const PHOTO_TYPES = ['image/jpeg', 'image/png', 'image/webp'];
export const MAX_PHOTOS = 500;

/**
 * Returns the media type of a file; browsers do not know all containers.
 * @param {File} file
 */
export function typeOf(file) {
  if (file.type) return file.type;
  const extension = file.name.split('.').pop()?.toLowerCase() ?? '';
  /** @type {Record<string, string>} */
  const types = { mkv: 'video/x-matroska', mov: 'video/quicktime', mp4: 'video/mp4', webm: 'video/webm' };
  return types[extension] ?? '';
}

/**
 * Returns whether files can be the media of a scan that awaits its uploads.
 * @param {Scan} scan
 * @param {File[]} files
 */
export function fitsScan(scan, files) {
  if (scan.status !== 'awaiting_upload') return false;
  if (scan.input.kind === 'frames') {
    return scan.input.frames.length === files.length && files.every((file) => PHOTO_TYPES.includes(typeOf(file)));
  }
  const { content_type, content_length } = scan.input.video;
  return files.length === 1 && typeOf(files[0]) === content_type && files[0].size === content_length;
}

/**
 * Uploads the files of a scan that awaits them.
 * @param {Scan} scan
 * @param {File[]} files
 * @param {(progress: Progress) => void} report
 * @param {AbortSignal} signal
 */
export async function uploadMedia(scan, files, report, signal) {
  const finished = finishedUploads(scan.id);
  const sent = files.map((file, index) => (finished.has(index, file) ? file.size : 0));
  const total = files.reduce((sum, file) => sum + file.size, 0);
  let retrying = false;
  const update = () => {
    const done = files.filter((file, index) => finished.has(index, file)).length;
    report({ sent: sent.reduce((sum, bytes) => sum + bytes, 0), total, done, count: files.length, retrying });
  };
  update();
  const pending = files.map((_, index) => index).filter((index) => !finished.has(index, files[index]));
  const worker = async () => {
    for (let index = pending.shift(); index !== undefined; index = pending.shift()) {
      const file = files[index];
      const { url, headers } = target(scan, index, file);
      await putPatiently(url, headers, file, signal, (bytes, again) => {
        sent[index] = bytes;
        retrying = again;
        update();
      });
      finished.add(index, file);
      sent[index] = file.size;
      retrying = false;
      update();
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, files.length) }, worker));
}

/**
 * Returns where a file is uploaded to.
 * @param {Scan} scan
 * @param {number} index
 * @param {File} file
 */
function target(scan, index, file) {
  const { upload, id } = scan;
  const type = { 'Content-Type': typeOf(file) };
  if (scan.input.kind === 'frames') return { url: `${BASE}/scans/${id}/frames/${index}`, headers: type };
  const signed = upload?.url && new URL(upload.url).pathname !== `${BASE}/scans/${id}/video` ? upload.url : null;
  // Storage refuses headers that were not signed. Browsers set the length themselves.
  if (signed) return { url: signed, headers: without(upload?.headers ?? {}, 'content-length') };
  return { url: upload?.url ? String(ownPath(upload.url)) : `${BASE}/scans/${id}/video`, headers: type };
}

/** @param {Record<string, any>} headers @param {string} excluded */
function without(headers, excluded) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== excluded));
}

/**
 * Sends a file until it has arrived. Waits for the connection and for rate limits.
 * @param {string} url
 * @param {Record<string, string>} headers
 * @param {File} file
 * @param {AbortSignal} signal
 * @param {(bytes: number, retrying: boolean) => void} progress
 */
async function putPatiently(url, headers, file, signal, progress) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await put(url, headers, file, signal, (bytes) => progress(bytes, false));
    } catch (error) {
      signal.throwIfAborted();
      const failure = /** @type {ApiError} */ (error);
      const passing = failure.status === 0 || failure.status === 429 || failure.status >= 500 || failure.status === 408;
      if (!passing || attempt >= MAX_ATTEMPTS) throw failure;
      progress(0, true);
      if (!navigator.onLine) await connection(signal);
      await wait(1000 * (failure.retryAfter ?? Math.min(MAX_PAUSE, 2 ** (attempt - 1))));
      signal.throwIfAborted();
    }
  }
}

/** Waits until the browser is online. @param {AbortSignal} signal */
function connection(signal) {
  return new Promise((resolve) => {
    addEventListener('online', resolve, { once: true, signal });
    signal.addEventListener('abort', resolve, { once: true });
  });
}

/**
 * Sends a file once. `fetch` reports no progress of uploads.
 * @param {string} url
 * @param {Record<string, string>} headers
 * @param {File} file
 * @param {AbortSignal} signal
 * @param {(bytes: number) => void} progress
 * @returns {Promise<void>}
 */
function put(url, headers, file, signal, progress) {
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest();
    call.open('PUT', url);
    for (const [name, value] of Object.entries(headers)) call.setRequestHeader(name, value);
    if (url.startsWith(BASE)) call.setRequestHeader('Scan-Mode', mode.get());
    call.upload.onprogress = (event) => progress(event.loaded);
    call.onerror = () => reject(networkError());
    call.onabort = () => reject(networkError());
    call.onload = () => (call.status < 300 ? resolve() : reject(failureOf(call)));
    signal.addEventListener('abort', () => call.abort(), { once: true });
    call.send(file);
  });
}

/** @param {XMLHttpRequest} call */
function failureOf(call) {
  const after = Number(call.getResponseHeader('retry-after'));
  let detail = { code: 'INTERNAL', message: `The upload was refused with status ${call.status}.` };
  try {
    detail = JSON.parse(call.responseText).error ?? detail;
  } catch {
    // Storage responds with XML.
  }
  return new ApiError(call.status, detail, after > 0 ? after : null);
}

/**
 * Remembers in this browser which files of a scan were uploaded, also after a reload.
 * @param {string} scan
 */
function finishedUploads(scan) {
  const key = `scan.uploads.${scan}`;
  /** @type {Record<string, string>} */
  const known = JSON.parse(localStorage.getItem(key) ?? '{}');
  const stamp = (/** @type {File} */ file) => `${file.name} ${file.size} ${file.lastModified}`;
  return {
    has: (/** @type {number} */ index, /** @type {File} */ file) => known[index] === stamp(file),
    add(/** @type {number} */ index, /** @type {File} */ file) {
      known[index] = stamp(file);
      localStorage.setItem(key, JSON.stringify(known));
    },
  };
}

/**
 * Starts a scan and forgets its uploads. A start that got no response may have begun: it is sent again, and
 * charges once.
 * @param {string} scan
 */
export async function startScan(scan) {
  const started = await post(`/scans/${scan}/start`, {}, { repeatable: true });
  localStorage.removeItem(`scan.uploads.${scan}`);
  return started;
}

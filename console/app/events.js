// The event stream, shared by all components. It is read with `fetch`, because `EventSource` cannot
// send `Scan-Mode`.

import { BASE, wait } from './api.js';
import { mode } from './mode.js';

/** @typedef {import('./types.js').ScanEvent} ScanEvent */

/** Pause after a stream ended or failed, in seconds; doubled up to the longest. */
const [SHORTEST, LONGEST] = [1, 30];

/**
 * Follows the events of the shown mode until the signal is aborted.
 * @param {(event: ScanEvent) => void} listener
 * @param {AbortSignal} signal
 */
export async function followEvents(listener, signal) {
  let last = '';
  let pause = SHORTEST;
  while (!signal.aborted) {
    try {
      for await (const message of messages(last, signal)) {
        last = message.id || last;
        pause = SHORTEST;
        listener(JSON.parse(message.data));
      }
    } catch {
      if (signal.aborted) return;
      pause = Math.min(LONGEST, pause * 2);
    }
    await wait(pause * 1000);
  }
}

/**
 * Reads the messages of one stream.
 * @param {string} last id of the last event
 * @param {AbortSignal} signal
 */
async function* messages(last, signal) {
  const headers = { 'Scan-Mode': mode.get(), ...(last ? { 'Last-Event-ID': last } : {}) };
  const response = await fetch(`${BASE}/events/stream`, { headers, signal });
  if (!response.ok || !response.body) throw new Error(`the stream was refused with ${response.status}`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const field = (/** @type {string} */ name) =>
        block.split('\n').filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).trimStart()).join('\n');
      if (field('data')) yield { id: field('id'), data: field('data') };
    }
  }
}

// The packaged sample: a rendered walk through two rooms with speech, which one click scans.

import { idempotencyKey, post } from './api.js';
import { networkError } from './errors.js';
import { startScan, uploadMedia } from './upload.js';

/** Address of the sample, beside this module. */
const SAMPLE = new URL('../sample/walk.mp4', import.meta.url);

/** @typedef {{ step: number, share: number }} SampleProgress step 0 to 3, and the uploaded share */

/**
 * Creates a space, uploads the sample and starts its scan. Returns the path of the scan's page.
 * @param {(progress: SampleProgress) => void} report
 * @param {AbortSignal} signal
 */
export async function scanSample(report, signal) {
  report({ step: 0, share: 0 });
  const response = await fetch(SAMPLE, { signal }).catch(() => null);
  if (!response?.ok) throw networkError();
  const file = new File([await response.blob()], 'sample-walk.mp4', { type: 'video/mp4' });
  const space = await post('/spaces', { name: 'Sample flat', space_type: 'apartment', description: 'A rendered walk through two rooms.' });
  report({ step: 1, share: 0 });
  const input = { kind: 'video', language: 'en', video: { content_type: file.type, content_length: file.size } };
  const scan = await post(`/spaces/${space.id}/scans`, { input }, { headers: idempotencyKey() });
  await uploadMedia(scan, [file], ({ sent, total }) => report({ step: 1, share: sent / Math.max(1, total) }), signal);
  report({ step: 2, share: 1 });
  await startScan(scan.id);
  return `/spaces/${space.id}/scans/${scan.id}`;
}

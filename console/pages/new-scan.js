// Adding media to a space: choose, arrange, upload, start.

import { idempotencyKey, post } from '../app/api.js';
import { ApiError } from '../app/errors.js';
import { money, plural, size } from '../app/format.js';
import { html, useEffect, useRef, useState } from '../app/html.js';
import { useAction, useResource } from '../app/resource.js';
import { Link, navigate, place } from '../app/router.js';
import { useStore } from '../app/store.js';
import { MAX_PHOTOS, PHOTO_TYPES, VIDEO_TYPES, fitsScan, startScan, typeOf, uploadMedia } from '../app/upload.js';
import { Button } from '../components/button.js';
import { DropZone, PhotoList, Preview } from '../components/drop-zone.js';
import { SelectField } from '../components/form.js';
import { PageHeader } from '../components/layout.js';
import { Meter } from '../components/meter.js';
import { ErrorNotice, Notice } from '../components/notice.js';

/** @typedef {import('../app/upload.js').Progress} Progress */

/** Languages of speech that the form offers. The API accepts every tag. @type {[string, string][]} */
const LANGUAGES = [['en', 'English'], ['de', 'German'], ['fr', 'French'], ['es', 'Spanish'], ['it', 'Italian'], ['und', 'Other or none']];

/** @param {{ space: string }} props */
export function NewScanPage({ space }) {
  const found = useResource(`/spaces/${space}`);
  const wallet = useResource('/wallet');
  const unfinished = useStore(place).query.get('scan');
  const open = useResource(unfinished ? `/scans/${unfinished}` : null);
  const [files, setFiles] = useState(/** @type {File[]} */ ([]));
  const [language, setLanguage] = useState('en');
  const [problem, setProblem] = useState('');
  const [progress, setProgress] = useState(/** @type {Progress | null} */ (null));
  const controller = useRef(new AbortController());
  const scan = useRef(/** @type {any} */ (null));
  useEffect(() => () => controller.current.abort(), []);

  const isVideo = files.length === 1 && VIDEO_TYPES.includes(typeOf(files[0]));
  const arrange = (/** @type {File[]} */ next) => {
    setFiles(next);
    scan.current = null;
  };
  const add = (/** @type {File[]} */ added) => {
    const next = chosen(files, added);
    setProblem(next.problem);
    arrange(next.files);
  };
  const resumes = open.data !== null && files.length > 0 && fitsScan(open.data, files);
  const action = useAction(async () => {
    const input = isVideo
      ? { kind: 'video', language, video: { content_type: typeOf(files[0]), content_length: files[0].size } }
      : { kind: 'frames', language, frames: files.map(() => ({})) };
    // After a failure, the same scan goes on where it stopped.
    if (resumes) scan.current = open.data;
    scan.current ??= await post(`/spaces/${space}/scans`, { input }, { headers: idempotencyKey() });
    try {
      await uploadMedia(scan.current, files, setProgress, controller.current.signal);
    } finally {
      setProgress(null);
    }
    await startScan(scan.current.id);
    navigate(`/spaces/${space}/scans/${scan.current.id}`);
  });
  const busy = action.busy;
  const back = html`<${Link} to=${`/spaces/${space}`}>${found.data?.name ?? 'Space'}<//>`;
  return html`<${PageHeader} title="New scan" back=${back} about="Upload a video of a walk, or photos in the order of the walk." />
    <${ErrorNotice} error=${found.error} />
    ${open.data && html`<${Resume} files=${files} resumes=${resumes} />`}
    ${files.length === 0 && html`<${DropZone} onFiles=${add} />`}
    ${problem && html`<${Notice} kind="warning" role="alert">${problem}<//>`}
    ${files.length > 0 &&
    html`<div class="card">
      ${isVideo ? html`<${Video} file=${files[0]} />` : html`<${PhotoList} files=${files} onChange=${arrange} disabled=${busy} />`}
      ${!isVideo && !busy && html`<${DropZone} onFiles=${add} compact />`}
      <${SelectField} label="Language of speech" value=${language} onValue=${setLanguage} options=${LANGUAGES} />
      ${progress && html`<${UploadProgress} progress=${progress} />`}
      <${Refusal} error=${action.error} />
      <div class="actions">
        <span class="muted small grow">${priceNote(wallet.data)}</span>
        ${!busy && html`<${Button} onClick=${() => arrange([])}>Clear<//>`}
        <${Button} kind="primary" busy=${busy} onClick=${action.run}>
          ${busy ? 'Uploading…' : action.error ? 'Continue' : `Upload ${isVideo ? 'video' : plural(files.length, 'photo')} and scan`}
        <//>
      </div>
    </div>`}`;
}

/**
 * Adds files to those chosen before: one video, or photos.
 * @param {File[]} before
 * @param {File[]} added
 */
function chosen(before, added) {
  const videos = added.filter((file) => VIDEO_TYPES.includes(typeOf(file)));
  const photos = added.filter((file) => PHOTO_TYPES.includes(typeOf(file)));
  const others = added.length - videos.length - photos.length;
  const ignored = others ? `${plural(others, 'file')} ignored: neither a video nor a photo that the service reads. ` : '';
  if (videos.length && (videos.length > 1 || photos.length || before.length)) {
    return { files: before, problem: `${ignored}A scan has one video, or photos. Choose one of them.` };
  }
  if (videos.length) return { files: videos, problem: ignored };
  const sorted = [...photos].sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
  const all = [...before, ...sorted];
  const problem = all.length > MAX_PHOTOS ? `A scan has at most ${MAX_PHOTOS} photos; the others were left out.` : ignored;
  return { files: all.slice(0, MAX_PHOTOS), problem };
}

/** @param {{ file: File }} props */
function Video({ file }) {
  return html`<div class="chosen-video">
    <${Preview} file=${file} />
    <div><strong>${file.name}</strong><p class="muted">${size(file.size)}</p></div>
  </div>`;
}

/** @param {{ files: File[], resumes: boolean }} props */
function Resume({ files, resumes }) {
  if (files.length > 0 && !resumes) {
    return html`<${Notice} kind="warning">These are not the files of the unfinished scan, so a new one is created.<//>`;
  }
  return html`<${Notice}>Choose the files of the unfinished scan again. Those that were uploaded are skipped.<//>`;
}

/** @param {{ progress: Progress }} props */
function UploadProgress({ progress }) {
  const { sent, total, done, count, retrying } = progress;
  const text = `${size(sent)} of ${size(total)}${count > 1 ? ` · ${done} of ${count} photos` : ''}`;
  return html`<${Meter} label=${retrying ? 'Connection lost. Trying again…' : 'Uploading'} value=${sent / Math.max(1, total)} text=${text} />`;
}

/** @param {{ error: ApiError | null }} props */
function Refusal({ error }) {
  return html`<${ErrorNotice} error=${error} />
    ${error?.code === 'INSUFFICIENT_FUNDS' &&
    html`<p><${Link} to="/billing">Top up your balance<//>, then continue. The upload is kept for 24 hours.</p>`}`;
}

/** @param {import('../app/types.js').Wallet | null} wallet */
function priceNote(wallet) {
  if (!wallet) return '';
  if (wallet.free_scans > 0) return `${plural(wallet.free_scans, 'free scan')} left`;
  return `Balance ${money(wallet.balance_cents)}`;
}

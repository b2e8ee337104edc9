// One scan: its stages while it runs, its outcome, and its document.

import { del, idempotencyKey, post } from '../app/api.js';
import { dateAndTime, money, time, words } from '../app/format.js';
import { html } from '../app/html.js';
import { useAction, useResource } from '../app/resource.js';
import { Link, navigate } from '../app/router.js';
import { hasEnded, useScan } from '../app/scan-progress.js';
import { Badge } from '../components/badge.js';
import { Button } from '../components/button.js';
import { ConfirmButton } from '../components/confirm.js';
import { Card, Loaded, PageHeader, Skeleton } from '../components/layout.js';
import { ErrorNotice, Notice } from '../components/notice.js';
import { ScanStages } from '../components/scan-stages.js';
import { DocumentView } from '../components/document-view.js';

/** @typedef {import('../app/types.js').Scan} Scan */

/** @param {{ space: string, scan: string }} props */
export function ScanPage({ space, scan: id }) {
  const { scan, error, setScan } = useScan(id);
  const found = useResource(`/spaces/${space}`);
  const back = html`<${Link} to=${`/spaces/${space}`}>${found.data?.name ?? 'Space'}<//>`;
  const cancel = async () => {
    await del(`/scans/${id}`);
    if (scan) setScan({ ...scan, status: 'cancelled' });
  };
  const title = scan ? `Scan of ${dateAndTime(scan.created_at)}` : 'Scan';
  return html`<${PageHeader} title=${title} back=${back} about=${html`<code>${id}</code>`}>
      ${scan && html`<${Badge} status=${scan.status} />`}
      ${scan?.status === 'awaiting_upload' &&
      html`<${ConfirmButton} label="Cancel scan" title="Cancel this scan?" confirm="Cancel scan" onConfirm=${cancel}>
        Its uploads are deleted. Nothing was charged.
      <//>`}
    <//>
    <${ErrorNotice} error=${error} />
    ${!scan && !error && html`<${Skeleton} rows=${5} />`}
    ${scan && html`<${Outcome} scan=${scan} />`}
    ${scan?.status === 'complete' && html`<${PastDocument} space=${space} scan=${id} />`}`;
}

/** @param {{ scan: Scan }} props */
function Outcome({ scan }) {
  if (scan.status === 'awaiting_upload') {
    return html`<${Notice} kind="info" title="This scan waits for its media.">
      <p>
        <${Link} to=${`/spaces/${scan.space_id}/scan?scan=${scan.id}`}>Continue the upload<//>, or upload them with the API. The
        scan is cancelled by itself after 24 hours.
      </p>
    <//>`;
  }
  return html`${scan.status === 'failed' && html`<${Failure} scan=${scan} />`}
    <${Card} title=${hasEnded(scan) ? 'What happened' : 'In progress'}>
      <${ScanStages} scan=${scan} />
      <${Charge} scan=${scan} />
    <//>`;
}

/** @param {{ scan: Scan }} props */
function Failure({ scan }) {
  const failure = scan.error;
  const retry = useAction(async () => {
    const next = await post(`/scans/${scan.id}/retry`, {}, { headers: idempotencyKey() });
    navigate(`/spaces/${scan.space_id}/scans/${next.id}`);
  });
  if (!failure) return null;
  return html`<${Notice} kind="bad" title="The scan failed">
    <p>${failure.message}</p>
    <p class="small">
      <code>${failure.code}</code>${failure.stage && html` · while ${failure.stage}`}
      · <a href=${`/docs/errors/${failure.code}`} target="_blank">About this error</a>
    </p>
    ${failure.code === 'PIPELINE_ERROR' &&
    html`<${Button} busy=${retry.busy} onClick=${retry.run}>Scan the same media again<//> <${ErrorNotice} error=${retry.error} />`}
  <//>`;
}

/** @param {{ scan: Scan }} props */
function Charge({ scan }) {
  if (!scan.charge) return null;
  const price = scan.charge.kind === 'free_scan' ? 'a free scan' : money(scan.charge.price_cents);
  return html`<p class="muted small">
    ${scan.charge.refunded ? `Charged ${price}, and refunded.` : `Charged ${price}.`}
    ${scan.started_at && ` Started ${time(scan.started_at)}.`} ${scan.finished_at && ` Ended ${time(scan.finished_at)}.`}
    ${scan.retry_of && html` Retry of <${Link} to=${`/spaces/${scan.space_id}/scans/${scan.retry_of}`}>an earlier scan<//>.`}
    ${scan.waiting && ` Waiting: ${words(scan.waiting.cause)}.`}
  </p>`;
}

/** @param {{ space: string, scan: string }} props */
function PastDocument({ space, scan }) {
  const found = useResource(`/spaces/${space}/scans/${scan}`);
  return html`<${Loaded} of=${found} rows=${6}>
    ${(/** @type {any} */ data) =>
      data.document
        ? html`<${DocumentView} document=${data.document} space=${space} scan=${scan} reload=${found.reload} />`
        : null}
  <//>`;
}

// The first document in one click: scans the packaged sample, and says what each step does.

import { html, useEffect, useRef, useState } from '../app/html.js';
import { useAction } from '../app/resource.js';
import { navigate } from '../app/router.js';
import { scanSample } from '../app/sample.js';
import { Button } from './button.js';
import { ErrorNotice } from './notice.js';

/** @type {[string, string][]} */
const STEPS = [
  ['Create a space', 'POST /v1/spaces: a place with a name, which keeps all its scans.'],
  ['Upload a video', 'POST /v1/spaces/…/scans reserves the scan, and PUT sends 0.7 MB.'],
  ['Start the scan', 'POST /v1/scans/…/start charges a free scan of the test mode.'],
];

export function SampleWalk() {
  const [progress, setProgress] = useState(/** @type {import('../app/sample.js').SampleProgress | null} */ (null));
  const controller = useRef(new AbortController());
  useEffect(() => () => controller.current.abort(), []);
  const action = useAction(async () => {
    try {
      navigate(await scanSample(setProgress, controller.current.signal));
    } finally {
      setProgress(null);
    }
  });
  return html`<section class="card">
    <h2>No video at hand?</h2>
    <p class="muted">Scan our sample: fifteen seconds through two rendered rooms, with signs and a spoken commentary. It costs nothing.</p>
    ${progress &&
    html`<ol class="steps" aria-live="polite">
      ${STEPS.map(
        ([title, text], step) => html`<li key=${title} class=${step < progress.step ? 'done' : step === progress.step ? 'now' : ''}>
          <strong>${title}${step === 1 && progress.step === 1 ? ` (${Math.round(progress.share * 100)} %)` : ''}</strong><span>${text}</span>
        </li>`,
      )}
    </ol>`}
    <${ErrorNotice} error=${action.error} />
    <div class="actions"><${Button} busy=${action.busy} onClick=${action.run}>Scan the sample walk<//></div>
  </section>`;
}

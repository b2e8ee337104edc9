// Corrections of a document by its owner: another word, another text, or "this is not there".

import { del, patch } from '../app/api.js';
import { words } from '../app/format.js';
import { html, useState } from '../app/html.js';
import { useAction } from '../app/resource.js';
import { Button } from './button.js';
import { Form, TextField } from './form.js';
import { Card } from './layout.js';
import { ErrorNotice } from './notice.js';

/** Who may correct the document: its owner, with its space and scan. @typedef {{ space: string, scan: string, reload: () => unknown }} Owner */
/** @typedef {import('../app/space-document.js').ShownClaim} ShownClaim */

/** The field that replaces a claim, by its kind. @type {Record<string, { field: string, label: string } | undefined>} */
const REPLACED = { zone: { field: 'type', label: 'It is a' }, text: { field: 'text', label: 'It reads' } };
/** Kinds that can be denied. */
const DENIED = ['text', 'object'];

/** @param {{ claim: ShownClaim, owner: Owner, onDone: () => void }} props */
export function CorrectClaim({ claim, owner, onDone }) {
  const [open, setOpen] = useState(false);
  const [value, setValue] = useState(claim.claim.value);
  const replaced = REPLACED[claim.kind];
  const action = useAction(async (/** @type {object} */ correction) => {
    const corrections = [{ target_id: claim.targetId, ...correction }];
    await patch(`/spaces/${owner.space}/document`, { scan_id: owner.scan, corrections });
    onDone();
    await owner.reload();
  });
  if (!claim.targetId) return null;
  if (!open) return html`<button class="link small" type="button" onClick=${() => setOpen(true)}>Correct this</button>`;
  return html`<div class="correct">
    ${replaced &&
    html`<${Form} submit="Correct" busy=${action.busy} onSubmit=${() => action.run({ field: replaced.field, value })} cancel=${() => setOpen(false)}>
      <${TextField} label=${replaced.label} value=${value} onValue=${setValue} maxlength="200" required />
    <//>`}
    ${DENIED.includes(claim.kind) && html`<${Button} busy=${action.busy} onClick=${() => action.run({ field: 'presence' })}>This is not there<//>`}
    <${ErrorNotice} error=${action.error} />
  </div>`;
}

/** The corrections of a document, each with what the scan had found. @param {{ corrections: any[], owner: Owner }} props */
export function Corrections({ corrections, owner }) {
  const action = useAction(async (/** @type {string} */ id) => {
    await del(`/spaces/${owner.space}/corrections/${id}`);
    await owner.reload();
  });
  return html`<${Card} title="Corrected by you" about="The next scan keeps a correction where it makes the same mistake.">
    <ul class="facts">
      ${corrections.map(
        ({ id, field, found, claim }) => html`<li key=${id}>
          <span class="muted small">${words(field)}</span>
          <span><del>${found ?? '–'}</del> → ${claim.value} <button class="link small" type="button" disabled=${action.busy} onClick=${() => action.run(id)}>Withdraw</button></span>
        </li>`,
      )}
    </ul>
    <${ErrorNotice} error=${action.error} />
  <//>`;
}

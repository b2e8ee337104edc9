// Questions about a space. Citations open the frame at the box.

import { post } from '../app/api.js';
import { asApiError } from '../app/errors.js';
import { html, useEffect, useMemo, useRef, useState } from '../app/html.js';
import { bestEvidence, indexOf } from '../app/space-document.js';
import { Badge, Confidence } from './badge.js';
import { FrameImage } from './frame-image.js';
import { FrameViewer } from './frame-viewer.js';
import { Button } from './button.js';
import { ErrorNotice } from './notice.js';

/** @typedef {import('../app/types.js').Answer} Answer */
/** @typedef {import('../app/types.js').Citation} Citation */
/** @typedef {{ question: string, answer: Answer | null, error: import('../app/errors.js').ApiError | null }} Turn */

/** Why there is no full answer. @type {Record<string, string>} */
const REASONS = {
  not_observed: 'The recording does not show it.',
  low_coverage: 'The recording does not cover the place well enough.',
  conflict: 'The evidence contradicts itself.',
  unsupported_measurement: 'Sizes are only known if they were read, said or measured.',
  out_of_scope: 'The question is not about what the document describes.',
  unsupported_language: 'Questions are understood in English only.',
};

/** @param {{ space: string, document: import('../app/types.js').SpaceDocument }} props */
export function Conversation({ space, document: content }) {
  const index = useMemo(() => indexOf(content), [content]);
  const [turns, setTurns] = useState(/** @type {Turn[]} */ ([]));
  const [question, setQuestion] = useState('');
  const [shown, setShown] = useState(/** @type {import('./frame-viewer.js').Shown | null} */ (null));
  const end = useRef(/** @type {HTMLDivElement | null} */ (null));
  const busy = turns.some(({ answer, error }) => !answer && !error);
  useEffect(() => end.current?.scrollIntoView({ block: 'nearest' }), [turns]);
  const ask = async (/** @type {string} */ text) => {
    if (!text.trim() || busy) return;
    setQuestion('');
    const turn = { question: text, answer: null, error: null };
    setTurns((old) => [...old, turn]);
    const finish = (/** @type {Partial<Turn>} */ result) =>
      setTurns((old) => old.map((other) => (other === turn ? { ...turn, ...result } : other)));
    try {
      finish({ answer: await post(`/spaces/${space}/ask`, { question: text }, { repeatable: true }) });
    } catch (failure) {
      finish({ error: asApiError(failure) });
    }
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    void ask(question);
  };
  const open = (/** @type {Citation} */ citation) => {
    const best = bestEvidence(/** @type {any} */ (citation));
    if (best?.frame_id) setShown({ frame: best.frame_id, claim: citation.claim_id });
  };
  return html`<section class="conversation" aria-label="Questions">
    ${turns.length === 0 && html`<${Suggestions} index=${index} ask=${ask} />`}
    <div role="log" aria-label="Conversation">
      ${turns.map((turn, place) => html`<${TurnView} key=${place} turn=${turn} index=${index} open=${open} />`)}
    </div>
    <div ref=${end}></div>
    <form class="ask" onSubmit=${submit}>
      <label class="visually-hidden" for="question">Your question</label>
      <input
        id="question"
        value=${question}
        maxlength="500"
        autocomplete="off"
        placeholder="Ask about this space"
        onInput=${(/** @type {any} */ event) => setQuestion(event.target.value)}
      />
      <${Button} kind="primary" type="submit" busy=${busy} disabled=${!question.trim()}>Ask<//>
    </form>
    ${shown && html`<${FrameViewer} index=${index} shown=${shown} show=${setShown} onClose=${() => setShown(null)} />`}
  </section>`;
}

/** Questions that the document itself suggests. @param {{ index: import('../app/space-document.js').DocumentIndex, ask: (text: string) => void }} props */
function Suggestions({ index, ask }) {
  const { zones, texts } = index.document;
  const named = zones.find(({ types }) => types.length > 0);
  const questions = [
    zones.length > 0 && 'Which rooms are there?',
    named && `What is in the ${named.label.toLowerCase()}?`,
    texts.length > 0 && 'What do the signs say?',
  ].filter((question) => typeof question === 'string');
  return html`<div class="suggestions">
    <p class="muted">Answers cite the frames that prove them. What was not seen is not guessed.</p>
    ${questions.map((question) => html`<button key=${question} class="chip" type="button" onClick=${() => ask(question)}>${question}</button>`)}
  </div>`;
}

/** @param {{ turn: Turn, index: import('../app/space-document.js').DocumentIndex, open: (citation: Citation) => void }} props */
function TurnView({ turn, index, open }) {
  const { question, answer, error } = turn;
  return html`<div class="turn">
    <p class="question">${question}</p>
    ${!answer && !error && html`<p class="muted" role="status">Looking through the evidence…</p>`}
    ${error && html`<${ErrorNotice} error=${error} />`}
    ${answer &&
    html`<div class="answer">
      <p>${answer.answer ?? 'There is no answer in this document.'}</p>
      <p class="small"><${Badge} status=${answer.status} /> ${answer.reason && html`<span class="muted">${REASONS[answer.reason]}</span>`}</p>
      ${answer.missing.length > 0 && html`<p class="small muted">Without an answer: ${answer.missing.join(', ')}</p>`}
      <${Citations} citations=${answer.citations} index=${index} open=${open} label="Evidence" />
      ${answer.citations.length === 0 && html`<${Citations} citations=${answer.closest} index=${index} open=${open} label="Nearest findings" />`}
    </div>`}
  </div>`;
}

/** @param {{ citations: Citation[], index: import('../app/space-document.js').DocumentIndex, open: (citation: Citation) => void, label: string }} props */
function Citations({ citations, index, open, label }) {
  if (citations.length === 0) return null;
  return html`<ul class="citations" aria-label=${label}>
    ${citations.map((citation) => {
      const best = bestEvidence(/** @type {any} */ (citation));
      const frame = best?.frame_id ? index.frames.get(best.frame_id) : undefined;
      const boxes = best?.bbox ? [{ id: citation.claim_id, bbox: best.bbox, label: citation.value }] : [];
      return html`<li key=${citation.claim_id}>
        <button type="button" class="citation" disabled=${!frame} onClick=${() => open(citation)}>
          ${frame && html`<span class="thumb"><${FrameImage} url=${best?.url ?? frame.url} alt="" width=${frame.width} height=${frame.height} /><${Marks} boxes=${boxes} /></span>`}
          <span class="words"><span>${citation.value}</span><${Confidence} confidence=${citation.confidence} basis=${citation.basis} /></span>
        </button>
      </li>`;
    })}
  </ul>`;
}

/** Boxes that cannot be pressed, over a small picture. @param {{ boxes: { id: string, bbox: import('../app/types.js').BBox }[] }} props */
function Marks({ boxes }) {
  const part = (/** @type {number} */ value) => `${value * 100}%`;
  return boxes.map(
    ({ id, bbox }) =>
      html`<i key=${id} class="mark-box" style=${{ left: part(bbox.x), top: part(bbox.y), width: part(bbox.w), height: part(bbox.h) }}></i>`,
  );
}

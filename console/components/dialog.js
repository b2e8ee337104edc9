// Dialogs over the page: `<dialog>` keeps the focus inside and closes on Escape.

import { html, useEffect, useId, useRef } from '../app/html.js';

/**
 * An open dialog.
 * @param {{ title: string, onClose: () => unknown, children?: unknown, class?: string }} props
 */
export function Dialog({ title, onClose, children, class: name = '' }) {
  const element = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const id = useId();
  useEffect(() => {
    element.current?.showModal();
  }, []);
  const cancel = (/** @type {Event} */ event) => {
    event.preventDefault();
    onClose();
  };
  const clickOutside = (/** @type {MouseEvent} */ event) => event.target === element.current && onClose();
  return html`<dialog
    class="dialog ${name}"
    ref=${element}
    aria-labelledby=${id}
    onCancel=${cancel}
    onMouseDown=${clickOutside}
  >
    <div class="dialog-body">
      <header>
        <h2 id=${id}>${title}</h2>
        <button class="icon" type="button" aria-label="Close" onClick=${onClose}>✕</button>
      </header>
      ${children}
    </div>
  </dialog>`;
}

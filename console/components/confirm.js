// A button that asks before it acts.

import { html, useState } from '../app/html.js';
import { useAction } from '../app/resource.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { Form } from './form.js';

/**
 * @param {{ label: string, title: string, confirm: string, onConfirm: () => unknown, kind?: string,
 *   children?: unknown }} props
 */
export function ConfirmButton({ label, title, confirm, onConfirm, kind = 'danger', children }) {
  const [open, setOpen] = useState(false);
  const action = useAction(async () => {
    await onConfirm();
    setOpen(false);
  });
  return html`<${Button} kind=${kind} onClick=${() => setOpen(true)}>${label}<//>
    ${open &&
    html`<${Dialog} title=${title} onClose=${() => setOpen(false)}>
      <${Form}
        submit=${confirm}
        kind=${kind === 'danger' ? 'danger solid' : 'primary'}
        busy=${action.busy}
        error=${action.error}
        onSubmit=${action.run}
        cancel=${() => setOpen(false)}
      >
        <p>${children}</p>
      <//>
    <//>`}`;
}

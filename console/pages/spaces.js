// The spaces, and the way to the first document.

import { post } from '../app/api.js';
import { ago } from '../app/format.js';
import { html, useState } from '../app/html.js';
import { mode } from '../app/mode.js';
import { useAction, useList } from '../app/resource.js';
import { Link, navigate } from '../app/router.js';
import { useStore } from '../app/store.js';
import { Button } from '../components/button.js';
import { Dialog } from '../components/dialog.js';
import { Form, TextField, fieldError } from '../components/form.js';
import { Loaded, PageHeader } from '../components/layout.js';
import { SampleWalk } from '../components/sample-walk.js';
import { Table } from '../components/table.js';

/** @typedef {import('../app/types.js').Space} Space */

export function SpacesPage() {
  const spaces = useList('/spaces', { limit: 100 });
  const [adding, setAdding] = useState(false);
  const isEmpty = spaces.rows?.length === 0;
  return html`<${PageHeader} title="Spaces" about="Each space has its scans and the document of the newest one.">
      ${!isEmpty && html`<${Button} kind="primary" onClick=${() => setAdding(true)}>New space<//>`}
    <//>
    <${Loaded} of=${spaces} rows=${6}>
      ${() => (isEmpty ? html`<${FirstSteps} />` : html`<${SpaceTable} spaces=${spaces} />`)}
    <//>
    ${adding &&
    html`<${Dialog} title="New space" onClose=${() => setAdding(false)}>
      <${NewSpace} cancel=${() => setAdding(false)} />
    <//>`}`;
}

/** @param {{ spaces: ReturnType<typeof useList> }} props */
function SpaceTable({ spaces }) {
  const columns = [
    {
      title: 'Name',
      cell: (/** @type {Space} */ row) => html`<${Link} to=${`/spaces/${row.id}`} class="strong">${row.name}<//>`,
    },
    { title: 'Type', cell: (/** @type {Space} */ row) => row.space_type },
    { title: 'External id', cell: (/** @type {Space} */ row) => row.external_id ?? html`<span class="muted">–</span>` },
    { title: 'Created', cell: (/** @type {Space} */ row) => ago(row.created_at) },
  ];
  return html`<div class="card flush">
    <${Table}
      label="Spaces"
      rows=${spaces.rows ?? []}
      columns=${columns}
      id=${(/** @type {Space} */ row) => row.id}
      more=${spaces.more}
      loadingMore=${spaces.loadingMore}
      endless
    />
  </div>`;
}

/** Leads an empty account to its first document. */
function FirstSteps() {
  const shownMode = useStore(mode);
  return html`<div class="first-steps">
    <section class="card">
      <h2>Scan your first space</h2>
      <p class="muted">Name a place, then drop a video of a walk through it, or photos in the order of the walk.</p>
      <${NewSpace} submit="Create and add media" />
    </section>
    <div class="stack">
      ${shownMode === 'test' && html`<${SampleWalk} />`}
      <ol class="steps">
        <li><strong>Name the space</strong><span>A flat, an office, a shop: anything you can walk through.</span></li>
        <li><strong>Drop a video or photos</strong><span>Your first three scans are free.</span></li>
        <li><strong>Read the document</strong><span>Zones, objects, signs and speech, each with the frames that prove it.</span></li>
        <li><strong>Ask, compare, search</strong><span>Every answer cites its frames.</span></li>
      </ol>
    </div>
  </div>`;
}

/** @param {{ cancel?: () => void, submit?: string }} props */
function NewSpace({ cancel, submit = 'Create space' }) {
  const [name, setName] = useState('');
  const [type, setType] = useState('');
  const [description, setDescription] = useState('');
  const action = useAction(async () => {
    const body = { name, space_type: type, ...(description ? { description } : {}) };
    const space = await post('/spaces', body);
    navigate(`/spaces/${space.id}/scan`);
  });
  const error = (/** @type {string} */ field) => fieldError(action.error, field);
  return html`<${Form} submit=${submit} busy=${action.busy} error=${action.error} onSubmit=${action.run} cancel=${cancel}>
    <${TextField} label="Name" value=${name} onValue=${setName} error=${error('name')} placeholder="Unit 4B" maxlength="200" required />
    <${TextField}
      label="Type"
      value=${type}
      onValue=${setType}
      error=${error('space_type')}
      placeholder="apartment"
      hint="A label of yours, for example apartment, office or shop."
      maxlength="64"
      required
    />
    <${TextField} label="Description (optional)" value=${description} onValue=${setDescription} error=${error('description')} />
  <//>`;
}

// A space: its newest document, its scans, questions, and comparisons.

import { del, patch } from '../app/api.js';
import { ago, words } from '../app/format.js';
import { html, useState } from '../app/html.js';
import { useAction, useList, useResource } from '../app/resource.js';
import { Link, navigate } from '../app/router.js';
import { Badge } from '../components/badge.js';
import { Button } from '../components/button.js';
import { ConfirmButton } from '../components/confirm.js';
import { Conversation } from '../components/conversation.js';
import { Dialog } from '../components/dialog.js';
import { DocumentView } from '../components/document-view.js';
import { Form, TextField, fieldError } from '../components/form.js';
import { Empty, Loaded, PageHeader } from '../components/layout.js';
import { ShareLinks } from '../components/share-links.js';
import { SpaceDiff } from '../components/space-diff.js';
import { Table } from '../components/table.js';
import { Tabs } from '../components/tabs.js';

/** @typedef {import('../app/types.js').Scan} Scan */
/** @typedef {import('../app/types.js').SpaceWithDocument} SpaceWithDocument */

const TABS = [['document', 'Document'], ['ask', 'Ask'], ['compare', 'Compare'], ['scans', 'Scans'], ['share', 'Share']];

/** @param {{ space: string, tab?: string }} props */
export function SpacePage({ space: id, tab = 'document' }) {
  const found = useResource(`/spaces/${id}`);
  const [editing, setEditing] = useState(false);
  return html`<${Loaded} of=${found} rows=${8}>
    ${(/** @type {SpaceWithDocument} */ space) => html`
      <${PageHeader} title=${space.name} back=${html`<${Link} to="/">Spaces<//>`} about=${[words(space.space_type), space.description].filter(Boolean).join(' · ')}>
        <${Button} onClick=${() => setEditing(true)}>Edit<//>
        <${Button} kind="primary" onClick=${() => navigate(`/spaces/${id}/scan`)}>New scan<//>
      <//>
      <${Tabs}
        label="Views of the space"
        tabs=${TABS.map(([name, text]) => ({ to: name === 'document' ? `/spaces/${id}` : `/spaces/${id}/${name}`, text, current: tab === name }))}
      />
      <${Tab} tab=${tab} space=${space} reload=${found.reload} />
      ${editing && html`<${EditSpace} space=${space} onClose=${() => setEditing(false)} onSaved=${found.reload} />`}
    `}
  <//>`;
}

/** @param {{ tab: string, space: SpaceWithDocument, reload: () => Promise<void> }} props */
function Tab({ tab, space, reload }) {
  if (tab === 'scans') return html`<${Scans} space=${space.id} />`;
  if (!space.document) {
    const action = html`<${Button} kind="primary" onClick=${() => navigate(`/spaces/${space.id}/scan`)}>Add a video or photos<//>
      <${Link} to=${`/spaces/${space.id}/scans`} class="button">See its scans<//>`;
    return html`<${Empty} title="No document yet" action=${action}>
      The document appears when the first scan is complete.
    <//>`;
  }
  if (tab === 'ask') return html`<${Conversation} space=${space.id} document=${space.document} />`;
  if (tab === 'share') return html`<${ShareLinks} space=${space.id} />`;
  if (tab === 'compare') return html`<${SpaceDiff} space=${space.id} />`;
  return html`<${DocumentView} document=${space.document} space=${space.id} scan=${space.scan_id} reload=${reload} isNewest />`;
}

/** @param {{ space: string }} props */
function Scans({ space }) {
  const scans = useList(`/spaces/${space}/scans`);
  const columns = [
    {
      title: 'Created',
      cell: (/** @type {Scan} */ scan) => html`<${Link} class="strong" to=${`/spaces/${space}/scans/${scan.id}`}>${ago(scan.created_at)}<//>`,
    },
    { title: 'Status', cell: (/** @type {Scan} */ scan) => html`<${Badge} status=${scan.status} />` },
    { title: 'Media', cell: (/** @type {Scan} */ scan) => (scan.input.kind === 'video' ? 'Video' : `${scan.input.frames.length} photos`) },
    { title: 'Result', cell: (/** @type {Scan} */ scan) => scan.error?.code ?? (scan.document_revision ? `Revision ${scan.document_revision}` : '–') },
    { title: 'Id', cell: (/** @type {Scan} */ scan) => html`<code>${scan.id}</code>` },
  ];
  return html`<${Loaded} of=${scans}>
    ${() =>
      scans.rows?.length
        ? html`<div class="card flush">
            <${Table} label="Scans" rows=${scans.rows} columns=${columns} id=${(/** @type {Scan} */ scan) => scan.id} more=${scans.more} loadingMore=${scans.loadingMore} />
          </div>`
        : html`<${Empty} title="No scans yet">Add a video or photos to make the first one.<//>`}
  <//>`;
}

/** @param {{ space: SpaceWithDocument, onClose: () => void, onSaved: () => unknown }} props */
function EditSpace({ space, onClose, onSaved }) {
  const [name, setName] = useState(space.name);
  const [type, setType] = useState(space.space_type);
  const [external, setExternal] = useState(space.external_id ?? '');
  const [description, setDescription] = useState(space.description ?? '');
  const action = useAction(async () => {
    await patch(`/spaces/${space.id}`, { name, space_type: type, external_id: external || null, description: description || null });
    await onSaved();
    onClose();
  });
  const remove = async () => {
    await del(`/spaces/${space.id}`);
    navigate('/');
  };
  const error = (/** @type {string} */ field) => fieldError(action.error, field);
  return html`<${Dialog} title="Edit space" onClose=${onClose}>
    <${Form} submit="Save" busy=${action.busy} error=${action.error} onSubmit=${action.run} cancel=${onClose}>
      <${TextField} label="Name" value=${name} onValue=${setName} error=${error('name')} required />
      <${TextField} label="Type" value=${type} onValue=${setType} error=${error('space_type')} required />
      <${TextField} label="External id" value=${external} onValue=${setExternal} error=${error('external_id')} hint="Your own identifier, for example of a listing." />
      <${TextField} label="Description" value=${description} onValue=${setDescription} error=${error('description')} />
    <//>
    <hr />
    <${ConfirmButton} label="Delete space" title="Delete this space?" confirm="Delete space" onConfirm=${remove}>
      Its scans, documents and media are deleted for good.
    <//>
  <//>`;
}

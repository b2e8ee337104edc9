// A document that somebody shared by a link. Needs no account.

import { get } from '../app/api.js';
import { ApiError } from '../app/errors.js';
import { date, plural, words } from '../app/format.js';
import { html, useEffect, useState } from '../app/html.js';
import { useLoaded } from '../app/resource.js';
import { DocumentView } from '../components/document-view.js';
import { PageHeader, Skeleton } from '../components/layout.js';
import { ErrorNotice, Notice } from '../components/notice.js';
import { Mark } from '../components/shell.js';

/** @typedef {import('../app/types.js').SharedDocument} SharedDocument */

export function SharedPage() {
  // Browsers send the part after `#` to nobody.
  const [token, setToken] = useState(tokenOfAddress);
  useEffect(() => {
    const read = () => setToken(tokenOfAddress());
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  const found = useLoaded((signal) => get('/shared-document', { headers: { 'Scan-Share': token }, signal, quiet: true }), [token]);
  // A document that is shown stays while the service is away; it goes when the link has ended.
  const refused = found.error && (!found.data || TITLES[found.error.code]) ? found.error : null;
  return html`<header class="shared-brand"><${Mark} /> Scan Service <span class="muted small">Shared document</span></header>
    <main class="shared">
      ${refused && html`<${Ended} error=${refused} retry=${found.reload} />`}
      ${!refused && !found.data && html`<${Skeleton} rows=${6} />`}
      ${!refused && found.data && html`<${Shared} shared=${found.data} reload=${found.reload} />`}
    </main>`;
}

function tokenOfAddress() {
  return location.hash.slice(1);
}

/** @param {{ shared: SharedDocument, reload: () => Promise<void> }} props */
function Shared({ shared, reload }) {
  const { name, space_type, scanned_at, expires_at, hidden } = shared;
  const withheld = [hidden.credentials && 'passwords, door codes', hidden.persons && 'persons'].filter(Boolean).join(', ');
  return html`<${PageHeader} title=${name} about=${`${words(space_type)} · scanned on ${date(scanned_at)} · this link ends on ${date(expires_at)}`} />
    ${withheld &&
    html`<${Notice}>
      ${`The owner hides ${withheld.replace(/, ([^,]*)$/, ' and $1')}.`} ${hidden.frames > 0 && `${plural(hidden.frames, 'frame')} therefore ${hidden.frames === 1 ? 'has' : 'have'} no picture.`}
    <//>`}
    <${DocumentView} document=${shared.document} reload=${reload} />`;
}

/** Titles of the errors of a link. @type {Record<string, string>} */
const TITLES = {
  INVALID_SIGNATURE: 'This link is incomplete',
  NOT_FOUND: 'This document no longer exists',
  SHARE_ENDED: 'This link has ended',
};

/** @param {{ error: ApiError, retry: () => unknown }} props */
function Ended({ error, retry }) {
  const title = TITLES[error.code] ?? 'This document cannot be shown now';
  const passing = error.status === 0 || error.status >= 500 || error.status === 429;
  return html`<${PageHeader} title=${title} about="Ask the person who sent the link for a new one." />
    <${ErrorNotice} error=${error} retry=${passing ? retry : undefined} />`;
}

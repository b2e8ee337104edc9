// Shows the page of the address: sign-up and log-in without a session, all others with one.

import { asApiError } from '../app/errors.js';
import { html, useEffect, useErrorBoundary, useState } from '../app/html.js';
import { mode } from '../app/mode.js';
import { navigate, place } from '../app/router.js';
import { pageOf } from '../app/routes.js';
import { afterLogIn, loadSession, session } from '../app/session.js';
import { useStore } from '../app/store.js';
import { LogInPage } from '../pages/log-in.js';
import { SharedPage } from '../pages/shared.js';
import { SignUpPage } from '../pages/sign-up.js';
import { Empty, Skeleton } from './layout.js';
import { ErrorNotice } from './notice.js';
import { Shell } from './shell.js';

const PUBLIC = ['/log-in', '/sign-up'];

/** Documents that a link shows to anybody; there is no session. */
const SHARED = '/shared';

export function App() {
  const { path } = useStore(place);
  return path === SHARED ? html`<${SharedPage} />` : html`<${ForUsers} />`;
}

function ForUsers() {
  const current = useStore(session);
  const { path } = useStore(place);
  const [failure, setFailure] = useState(/** @type {any} */ (null));
  const load = () => {
    setFailure(null);
    loadSession().catch((error) => setFailure(asApiError(error)));
  };
  useEffect(load, []);
  const isPublic = PUBLIC.includes(path);
  useEffect(() => {
    if (current === null && !isPublic) {
      afterLogIn.set(path + location.search);
      navigate('/log-in', { replace: true });
    }
    if (current && isPublic) {
      navigate(afterLogIn.get(), { replace: true });
      afterLogIn.set('/');
    }
  }, [current, isPublic]);
  if (failure) return html`<main class="door"><${ErrorNotice} error=${failure} retry=${load} /></main>`;
  if (current === undefined) return html`<main class="door"><${Skeleton} rows=${3} /></main>`;
  if (current === null) return path === '/sign-up' ? html`<${SignUpPage} />` : html`<${LogInPage} />`;
  return html`<${Shell}><${CurrentPage} /><//>`;
}

function CurrentPage() {
  const { path } = useStore(place);
  const shownMode = useStore(mode);
  const found = pageOf(path);
  if (!found) {
    return html`<${Empty} title="This page does not exist">Choose a section in the navigation.<//>`;
  }
  const { Page, params } = found;
  // Another mode has other data, so nothing of the page is kept.
  return html`<${Guarded} key=${`${shownMode} ${path}`}><${Page} ...${params} /><//>`;
}

/** Shows an error of a page's own code instead of an empty page. */
function Guarded(/** @type {{ children?: unknown }} */ { children }) {
  const [error] = useErrorBoundary((failure) => console.error(failure));
  return error ? html`<${ErrorNotice} error=${asApiError(error)} />` : children;
}

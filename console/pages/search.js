// Search over all spaces, with the frames that match.

import { html, useState } from '../app/html.js';
import { useList } from '../app/resource.js';
import { Link, place, setQuery } from '../app/router.js';
import { useStore } from '../app/store.js';
import { words } from '../app/format.js';
import { Button } from '../components/button.js';
import { FrameImage } from '../components/frame-image.js';
import { Empty, Loaded, PageHeader } from '../components/layout.js';

/** @typedef {import('../app/types.js').SearchHit} SearchHit */

const SHOWN_MATCHES = 4;

export function SearchPage() {
  const { query } = useStore(place);
  const asked = query.get('q') ?? '';
  const [text, setText] = useState(asked);
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    setQuery({ q: text.trim() || null }, { replace: false });
  };
  return html`<${PageHeader} title="Search" about="Finds spaces by what was seen, read and said in them." />
    <form class="ask" role="search" onSubmit=${submit}>
      <label class="visually-hidden" for="search">Search spaces</label>
      <input id="search" type="search" value=${text} maxlength="200" placeholder="sofa, meeting room, “no smoking”" onInput=${(/** @type {any} */ event) => setText(event.target.value)} />
      <${Button} kind="primary" type="submit">Search<//>
    </form>
    ${asked && html`<${Results} key=${asked} query=${asked} />`}`;
}

/** @param {{ query: string }} props */
function Results({ query }) {
  const hits = useList('/search', { q: query });
  return html`<${Loaded} of=${hits}>
    ${() =>
      hits.rows?.length
        ? html`<ul class="hits">${hits.rows.map((/** @type {SearchHit} */ hit) => html`<${Hit} key=${hit.space.id} hit=${hit} />`)}</ul>
            ${hits.more && html`<${Button} busy=${hits.loadingMore} onClick=${hits.more}>Show more<//>`}`
        : html`<${Empty} title="No space matches">Try other words. A space is found once one of its scans is complete.<//>`}
  <//>`;
}

/** @param {{ hit: SearchHit }} props */
function Hit({ hit }) {
  const { space, matches } = hit;
  return html`<li class="card hit">
    <h2><${Link} to=${`/spaces/${space.id}`}>${space.name}<//></h2>
    <p class="muted small">${space.space_type}</p>
    <ul>
      ${matches.slice(0, SHOWN_MATCHES).map(
        (match) => html`<li key=${match.kind + match.id}>
          ${match.url && html`<${FrameImage} url=${match.url} alt=${`Frame that shows ${match.text}`} />`}
          <span>${match.text}</span><span class="muted small">${words(match.kind)}</span>
        </li>`,
      )}
    </ul>
  </li>`;
}

// Parts of every page: header, card, empty state, loading state.

import { html, useEffect } from '../app/html.js';
import { ErrorNotice } from './notice.js';

/**
 * Title and actions of a page. Sets the title of the document.
 * @param {{ title: string, about?: unknown, children?: unknown, back?: unknown }} props
 */
export function PageHeader({ title, about, children, back }) {
  useEffect(() => {
    document.title = `${title} · Scan Service`;
  }, [title]);
  return html`<header class="page-header">
    ${back && html`<div class="back">${back}</div>`}
    <div class="row">
      <div>
        <h1 tabindex="-1">${title}</h1>
        ${about && html`<p class="muted">${about}</p>`}
      </div>
      <div class="actions">${children}</div>
    </div>
  </header>`;
}

/**
 * @param {{ title?: string, actions?: unknown, children?: unknown, class?: string, about?: unknown }} props
 */
export function Card({ title, actions, children, about, class: name = '' }) {
  return html`<section class="card ${name}">
    ${title &&
    html`<header>
      <h2>${title}</h2>
      <div class="actions">${actions}</div>
    </header>`}
    ${about && html`<p class="muted about">${about}</p>`} ${children}
  </section>`;
}

/** @param {{ title: string, children?: unknown, action?: unknown }} props */
export function Empty({ title, children, action }) {
  return html`<div class="empty">
    <h2>${title}</h2>
    <p class="muted">${children}</p>
    ${action && html`<div class="actions">${action}</div>`}
  </div>`;
}

/** @param {{ rows?: number }} props */
export function Skeleton({ rows = 3 }) {
  const lines = Array.from({ length: rows }, (_, index) => html`<div class="line" key=${index}></div>`);
  return html`<div class="skeleton" role="status" aria-label="Loading">${lines}</div>`;
}

/**
 * Shows the data of a resource, its error, or that it loads.
 * @param {{ of: import('../app/resource.js').Resource<any>, children: (data: any) => unknown, rows?: number }} props
 */
export function Loaded({ of, children, rows }) {
  if (of.data !== null) {
    return html`${of.error && html`<${ErrorNotice} error=${of.error} retry=${of.reload} />`}${children(of.data)}`;
  }
  if (of.error) return html`<${ErrorNotice} error=${of.error} retry=${of.reload} />`;
  return html`<${Skeleton} rows=${rows} />`;
}

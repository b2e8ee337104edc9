// Tables. On a phone, each row becomes a block with the names of its columns.

import { html, useEffect, useRef } from '../app/html.js';
import { Button } from './button.js';

/**
 * @template T
 * @typedef {object} Column
 * @property {string} title
 * @property {(row: T) => unknown} cell
 * @property {boolean} [numeric]
 */

/**
 * @param {{ label: string, rows: any[], columns: Column<any>[], id: (row: any) => string,
 *   more?: (() => unknown) | null, loadingMore?: boolean, endless?: boolean }} props `endless` loads the
 *   next rows when the reader comes near the end
 */
export function Table({ label, rows, columns, id, more, loadingMore, endless = false }) {
  const head = columns.map(({ title, numeric }) => html`<th key=${title} scope="col" class=${numeric ? 'numeric' : ''}>${title}</th>`);
  const body = rows.map(
    (row) => html`<tr key=${id(row)}>
      ${columns.map(
        ({ title, cell, numeric }) =>
          html`<td key=${title} data-title=${title} class=${numeric ? 'numeric' : ''}>${cell(row)}</td>`,
      )}
    </tr>`,
  );
  return html`<div class="table">
    <table aria-label=${label}>
      <thead><tr>${head}</tr></thead>
      <tbody>${body}</tbody>
    </table>
    ${more && html`<${More} more=${more} busy=${loadingMore} count=${endless ? rows.length : null} />`}
  </div>`;
}

/**
 * Loads the next rows by a button; if `count` tells the rows that are shown, also by scrolling.
 * @param {{ more: () => unknown, busy?: boolean, count: number | null }} props
 */
function More({ more, busy, count }) {
  const element = useRef(/** @type {HTMLDivElement | null} */ (null));
  const latest = useRef(more);
  latest.current = more;
  useEffect(() => {
    if (!element.current || count === null) return undefined;
    const isNear = (/** @type {IntersectionObserverEntry[]} */ entries) => entries.some(({ isIntersecting }) => isIntersecting);
    const observer = new IntersectionObserver((entries) => isNear(entries) && void latest.current(), { rootMargin: '600px' });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [count]);
  return html`<div class="more" ref=${element}><${Button} busy=${busy} onClick=${more}>Show more<//></div>`;
}

// Tables. On a phone, each row becomes a block with the names of its columns.

import { html } from '../app/html.js';
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
 *   more?: (() => unknown) | null, loadingMore?: boolean }} props
 */
export function Table({ label, rows, columns, id, more, loadingMore }) {
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
    ${more && html`<div class="more"><${Button} busy=${loadingMore} onClick=${more}>Show more<//></div>`}
  </div>`;
}

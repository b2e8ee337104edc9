// Form fields with labels, hints and the errors that the API reports for them.

import { html, useId } from '../app/html.js';
import { Button } from './button.js';
import { ErrorNotice } from './notice.js';

/** @typedef {import('../app/errors.js').ApiError} ApiError */

/**
 * A form. Its errors are shown above the buttons, except those of fields.
 * @param {{ onSubmit: () => unknown, busy?: boolean, error?: ApiError | null, submit: string, kind?: string,
 *   cancel?: () => unknown, disabled?: boolean, children?: unknown, class?: string }} props
 */
export function Form({ onSubmit, busy, error, submit, kind = 'primary', cancel, disabled, children, class: name = '' }) {
  const send = (/** @type {Event} */ event) => {
    event.preventDefault();
    void onSubmit();
  };
  return html`<form class="form ${name}" onSubmit=${send}>
    ${children}
    <${ErrorNotice} error=${error ?? null} />
    <div class="actions">
      ${cancel && html`<${Button} onClick=${cancel}>Cancel<//>`}
      <${Button} kind=${kind} type="submit" busy=${busy} disabled=${disabled}>${submit}<//>
    </div>
  </form>`;
}

/**
 * A text field. `onValue` gets its text.
 * @param {{ label: string, value: string, onValue: (value: string) => void, hint?: unknown, type?: string,
 *   error?: string, prefix?: string, [attribute: string]: unknown }} props
 */
export function TextField({ label, value, onValue, hint, type = 'text', error, prefix, ...attributes }) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return html`<div class="field">
    <label for=${id}>${label}</label>
    <div class="input">
      ${prefix && html`<span class="prefix" aria-hidden="true">${prefix}</span>`}
      <input
        id=${id}
        type=${type}
        value=${value}
        aria-describedby=${described || undefined}
        aria-invalid=${error ? 'true' : undefined}
        onInput=${(/** @type {any} */ event) => onValue(event.target.value)}
        ...${attributes}
      />
    </div>
    ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
    ${error && html`<p class="field-error" id=${`${id}-error`}>${error}</p>`}
  </div>`;
}

/**
 * A choice from a list of `[value, text]`.
 * @param {{ label: string, value: string, onValue: (value: string) => void, options: [string, string][],
 *   hint?: unknown }} props
 */
export function SelectField({ label, value, onValue, options, hint }) {
  const id = useId();
  return html`<div class="field">
    <label for=${id}>${label}</label>
    <select
      id=${id}
      value=${value}
      aria-describedby=${hint ? `${id}-hint` : undefined}
      onChange=${(/** @type {any} */ event) => onValue(event.target.value)}
    >
      ${options.map(([option, text]) => html`<option key=${option} value=${option} selected=${option === value}>${text}</option>`)}
    </select>
    ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
  </div>`;
}

/**
 * Several choices from a list of `[value, text]`.
 * @param {{ label: string, values: string[], onValues: (values: string[]) => void, options: [string, string][] }} props
 */
export function CheckboxGroup({ label, values, onValues, options }) {
  const toggle = (/** @type {string} */ option) =>
    onValues(values.includes(option) ? values.filter((value) => value !== option) : [...values, option]);
  return html`<fieldset class="field checks">
    <legend>${label}</legend>
    ${options.map(
      ([option, text]) => html`<label key=${option}>
        <input type="checkbox" checked=${values.includes(option)} onChange=${() => toggle(option)} />
        <span>${text}</span>
      </label>`,
    )}
  </fieldset>`;
}

/** @param {{ label: string, checked: boolean, onValue: (checked: boolean) => void, hint?: unknown }} props */
export function Checkbox({ label, checked, onValue, hint }) {
  return html`<div class="field checks">
    <label>
      <input type="checkbox" checked=${checked} onChange=${() => onValue(!checked)} />
      <span>${label}</span>
    </label>
    ${hint && html`<p class="hint">${hint}</p>`}
  </div>`;
}

/**
 * Returns the message of the API for a field.
 * @param {ApiError | null} error
 * @param {string} field
 */
export function fieldError(error, field) {
  return error?.fields.find((entry) => entry.field === field)?.message;
}

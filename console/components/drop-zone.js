// Choosing media: drop, paste or browse; photos are shown in order and can be moved and removed.

import { size } from '../app/format.js';
import { html, useEffect, useMemo, useRef, useState } from '../app/html.js';
import { PHOTO_TYPES, VIDEO_TYPES, typeOf } from '../app/upload.js';

/** @param {{ onFiles: (files: File[]) => void, compact?: boolean }} props */
export function DropZone({ onFiles, compact = false }) {
  const [over, setOver] = useState(false);
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const accept = (/** @type {FileList | null | undefined} */ list) => onFiles([...(list ?? [])]);
  const drop = (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    setOver(false);
    accept(event.dataTransfer?.files);
  };
  const drag = (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    setOver(true);
  };
  return html`<div
    class="drop-zone ${over ? 'over' : ''} ${compact ? 'compact' : ''}"
    onDragOver=${drag}
    onDragLeave=${() => setOver(false)}
    onDrop=${drop}
  >
    <p><strong>${compact ? 'Add photos' : 'Drop a video or photos here'}</strong></p>
    <p class="muted small">MP4, MOV, WebM or MKV; or up to 500 JPEG, PNG or WebP photos in the order of the walk.</p>
    <label class="button">
      Choose files
      <input
        ref=${input}
        class="visually-hidden"
        type="file"
        multiple
        accept=${[...VIDEO_TYPES, '.mkv', ...PHOTO_TYPES].join(',')}
        onChange=${(/** @type {any} */ event) => {
          accept(event.target.files);
          event.target.value = '';
        }}
      />
    </label>
  </div>`;
}

/**
 * The chosen photos, in order.
 * @param {{ files: File[], onChange: (files: File[]) => void, disabled?: boolean }} props
 */
export function PhotoList({ files, onChange, disabled }) {
  const [dragged, setDragged] = useState(/** @type {number | null} */ (null));
  const move = (/** @type {number} */ from, /** @type {number} */ to) => {
    if (to < 0 || to >= files.length || from === to) return;
    const next = [...files];
    next.splice(to, 0, ...next.splice(from, 1));
    onChange(next);
  };
  const drop = (/** @type {number} */ to) => (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    if (dragged !== null) move(dragged, to);
    setDragged(null);
  };
  return html`<ol class="photos" aria-label="Photos in the order of the walk">
    ${files.map(
      (file, index) => html`<li
        key=${file.name + file.size + file.lastModified}
        draggable=${!disabled}
        onDragStart=${() => setDragged(index)}
        onDragOver=${(/** @type {DragEvent} */ event) => event.preventDefault()}
        onDrop=${drop(index)}
      >
        <${Preview} file=${file} />
        <span class="name" title=${file.name}>${index + 1}. ${file.name}</span>
        <span class="muted small">${size(file.size)}</span>
        ${!disabled &&
        html`<span class="row">
          <button class="icon" type="button" aria-label=${`Move ${file.name} earlier`} disabled=${index === 0} onClick=${() => move(index, index - 1)}>←</button>
          <button class="icon" type="button" aria-label=${`Move ${file.name} later`} disabled=${index === files.length - 1} onClick=${() => move(index, index + 1)}>→</button>
          <button class="icon" type="button" aria-label=${`Remove ${file.name}`} onClick=${() => onChange(files.filter((_, other) => other !== index))}>✕</button>
        </span>`}
      </li>`,
    )}
  </ol>`;
}

/** @param {{ file: File }} props */
export function Preview({ file }) {
  const url = useMemo(() => URL.createObjectURL(file), [file]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  if (VIDEO_TYPES.includes(typeOf(file))) {
    return html`<video src=${url} muted playsinline preload="metadata" aria-label=${file.name}></video>`;
  }
  return html`<img src=${url} alt="" loading="lazy" />`;
}

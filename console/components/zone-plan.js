// The schematic plan. A room leads to its card, and a door to the frame that shows the way.

import { plural } from '../app/format.js';
import { html, useMemo } from '../app/html.js';
import { planOf } from '../app/plan.js';
import { bestEvidence } from '../app/space-document.js';

/** @typedef {import('../app/plan.js').Room} Room */
/** @typedef {import('../app/plan.js').Way} Way */

/** Space around the rooms, and the length of a door. */
const [MARGIN, DOOR] = [4, 30];
/** Width of a letter in a room. */
const LETTER = 8.6;

/** @param {{ index: import('../app/space-document.js').DocumentIndex, open: (frame: string, claim?: string) => void }} props */
export function ZonePlan({ index, open }) {
  const { rooms, ways, width, height } = useMemo(() => planOf(index.document), [index]);
  const box = `${-MARGIN} ${-MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}`;
  return html`<figure class="plan">
    <svg viewBox=${box} style=${{ maxWidth: `${width * 1.15}px` }} role="group" aria-label="Schematic plan of the zones">
      ${ways.filter(({ touching }) => !touching).map(({ id, from, to }) => html`<path key=${id} class="far" d=${`M ${middle(from)} L ${middle(to)}`} />`)}
      ${rooms.map((room) => html`<${RoomShape} key=${room.zone.id} room=${room} color=${index.color(room.zone.id)} />`)}
      ${ways.filter(({ touching }) => touching).map((way) => html`<${Door} key=${way.id} way=${way} index=${index} open=${open} />`)}
    </svg>
    <figcaption class="muted small">Not to scale: neighbours stand beside each other, and a zone is as large as it was seen.</figcaption>
  </figure>`;
}

/** @param {{ room: Room, color: string }} props */
function RoomShape({ room, color }) {
  const { zone, x, y, width, height } = room;
  const frames = plural(zone.frame_ids.length, 'frame');
  const show = () => showCard(zone.id);
  return html`<g class="room ${color}" ...${pressable(show, `${zone.label} ${frames}`)}>
    <rect x=${x} y=${y} width=${width} height=${height} rx="3" />
    <text x=${x + width / 2} y=${y + height / 2 - 1} text-anchor="middle">${fitted(zone.label, width)} </text>
    <text class="sub" x=${x + width / 2} y=${y + height / 2 + 16} text-anchor="middle">${frames}</text>
  </g>`;
}

/** @param {{ way: Way, index: import('../app/space-document.js').DocumentIndex, open: (frame: string, claim?: string) => void }} props */
function Door({ way, index, open }) {
  const { from, to, claim } = way;
  const [first, second] = from.column < to.column || from.row < to.row ? [from, to] : [to, from];
  const beside = first.row === second.row;
  const start = beside ? first.x + first.width : first.y + first.height;
  const end = beside ? second.x : second.y;
  const across = beside ? second.y + second.height / 2 : second.x + second.width / 2;
  const shown = index.byId.get(claim);
  const frame = shown ? bestEvidence(shown, index.frames)?.frame_id : null;
  const shape = beside
    ? { x: start - 2, y: across - DOOR / 2, width: end - start + 4, height: DOOR }
    : { x: across - DOOR / 2, y: start - 2, width: DOOR, height: end - start + 4 };
  const name = `Way between ${from.zone.label} and ${to.zone.label}`;
  if (!frame) return html`<rect class="doorway" ...${shape}><title>${name}</title></rect>`;
  return html`<rect class="doorway" ...${shape} ...${pressable(() => open(frame, claim), `${name}: show the frame`)}><title>${name}</title></rect>`;
}

/**
 * Returns the attributes of a shape that works like a button.
 * @param {() => void} press
 * @param {string} name
 */
function pressable(press, name) {
  const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    press();
  };
  return { role: 'button', tabindex: 0, 'aria-label': name, onClick: press, onKeyDown };
}

/** Scrolls to the card of a zone. @param {string} zone */
export function showCard(zone) {
  const card = document.getElementById(`zone-${zone}`);
  card?.scrollIntoView({ block: 'start' });
  card?.focus({ preventScroll: true });
}

/** @param {Room} room */
const middle = ({ x, y, width, height }) => `${x + width / 2} ${y + height / 2}`;

/** Shortens a label to a width. @param {string} label @param {number} width */
function fitted(label, width) {
  const letters = Math.floor((width - 12) / LETTER);
  return label.length <= letters ? label : `${label.slice(0, letters - 1)}…`;
}

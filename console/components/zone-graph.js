// The zones of a space and the ways between them: zones on a circle, in the order of the walk.

import { html } from '../app/html.js';
import { distinctOpenings } from '../app/plan.js';

const [WIDTH, HEIGHT, RADIUS] = [440, 260, 96];

/** @param {{ index: import('../app/space-document.js').DocumentIndex }} props */
export function ZoneGraph({ index }) {
  const { zones } = index.document;
  const places = new Map(zones.map((zone, number) => [zone.id, placeOf(number, zones.length)]));
  const edges = distinctOpenings(index.document);
  const names = (/** @type {string} */ id) => index.zones.get(id)?.label ?? id;
  const described = edges.map(({ from_zone_id, to_zone_id }) => `${names(from_zone_id)} to ${names(to_zone_id)}`);
  return html`<figure class="graph">
    <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label=${`Ways between zones: ${described.join(', ') || 'none found'}`}>
      ${edges.map(({ id, from_zone_id, to_zone_id }) => {
        const [from, to] = [places.get(from_zone_id), places.get(to_zone_id)];
        return from && to && html`<line key=${id} x1=${from.x} y1=${from.y} x2=${to.x} y2=${to.y} />`;
      })}
      ${zones.map((zone) => {
        const place = places.get(zone.id) ?? { x: 0, y: 0 };
        const anchor = place.x > WIDTH / 2 + 8 ? 'start' : place.x < WIDTH / 2 - 8 ? 'end' : 'middle';
        const shift = anchor === 'start' ? 16 : anchor === 'end' ? -16 : 0;
        const below = anchor === 'middle' ? (place.y > HEIGHT / 2 ? 26 : -18) : 4;
        return html`<g key=${zone.id} class=${index.color(zone.id)}>
          <circle cx=${place.x} cy=${place.y} r="10" />
          <text x=${place.x + shift} y=${place.y + below} text-anchor=${anchor}>${zone.label}</text>
        </g>`;
      })}
    </svg>
  </figure>`;
}

/** @param {number} number @param {number} count */
function placeOf(number, count) {
  if (count === 1) return { x: WIDTH / 2, y: HEIGHT / 2 };
  const angle = (number / count) * 2 * Math.PI - Math.PI / 2;
  return { x: WIDTH / 2 + RADIUS * 1.15 * Math.cos(angle), y: HEIGHT / 2 + RADIUS * 0.95 * Math.sin(angle) };
}

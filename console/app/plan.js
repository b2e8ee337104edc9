// A schematic plan of the zones: neighbours beside each other, rooms as large as they were seen. It
// has no scale, because distances are not known.

/** @typedef {import('./types.js').SpaceDocument} SpaceDocument */
/** @typedef {import('./types.js').Zone} Zone */
/** @typedef {{ zone: Zone, column: number, row: number, x: number, y: number, width: number, height: number }} Room */
/** @typedef {{ id: string, claim: string, from: Room, to: Room, touching: boolean }} Way */

/** Sides of a room, and the distance between two, in units of the drawing. */
const [SMALLEST, LARGEST, GAP] = [104, 190, 12];
/** Height of a room of this width. */
const PROPORTION = 0.68;
/** Cells beside a cell, in the order in which they are filled. */
const SIDES = [[1, 0], [0, 1], [-1, 0], [0, -1]];

/**
 * Returns the plan of a document.
 * @param {SpaceDocument} document
 * @returns {{ rooms: Room[], ways: Way[], width: number, height: number }}
 */
export function planOf(document) {
  const openings = distinctOpenings(document);
  const cells = placed(document.zones, openings);
  const most = Math.max(1, ...document.zones.map(({ frame_ids }) => frame_ids.length));
  const rooms = document.zones.map((zone) => {
    const [column, row] = /** @type {[number, number]} */ (cells.get(zone.id));
    const width = SMALLEST + (LARGEST - SMALLEST) * Math.sqrt(zone.frame_ids.length / most);
    return { zone, column, row, x: 0, y: 0, width, height: width * PROPORTION };
  });
  const width = align(rooms, 'column', 'x', 'width');
  const height = align(rooms, 'row', 'y', 'height');
  const byZone = new Map(rooms.map((room) => [room.zone.id, room]));
  const ways = openings.flatMap(({ id, from_zone_id, to_zone_id, claim }) => {
    const [from, to] = [byZone.get(from_zone_id), byZone.get(to_zone_id)];
    if (!from || !to) return [];
    const touching = Math.abs(from.column - to.column) + Math.abs(from.row - to.row) === 1;
    return [{ id, claim: claim.id, from, to, touching }];
  });
  return { rooms, ways, width, height };
}

/** @param {SpaceDocument} document */
export function distinctOpenings({ openings }) {
  const between = openings.filter(({ from_zone_id, to_zone_id }) => from_zone_id !== to_zone_id);
  return [...new Map(between.map((opening) => [[opening.from_zone_id, opening.to_zone_id].sort().join(), opening])).values()];
}

/**
 * Gives each zone a cell: first the zone with the most ways, then its neighbours beside it, and so on.
 * Zones without a way stand below.
 * @param {Zone[]} zones
 * @param {{ from_zone_id: string, to_zone_id: string }[]} openings
 */
function placed(zones, openings) {
  const neighbours = (/** @type {string} */ id) =>
    openings.flatMap(({ from_zone_id, to_zone_id }) => (from_zone_id === id ? [to_zone_id] : to_zone_id === id ? [from_zone_id] : []));
  /** @type {Map<string, [number, number]>} */
  const cells = new Map();
  const known = new Set(zones.map(({ id }) => id));
  const byWays = [...zones].sort((a, b) => neighbours(b.id).length - neighbours(a.id).length);
  for (const { id: start } of byWays) {
    if (cells.has(start)) continue;
    cells.set(start, [0, cells.size === 0 ? 0 : 1 + Math.max(...[...cells.values()].map(([, row]) => row))]);
    const queue = [start];
    for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
      for (const next of neighbours(id)) {
        if (cells.has(next) || !known.has(next)) continue;
        cells.set(next, freeCell(/** @type {[number, number]} */ (cells.get(id)), neighbours(next), cells));
        queue.push(next);
      }
    }
  }
  return cells;
}

/**
 * Returns the free cell nearest to a parent; of equally near ones the nearest to the other neighbours,
 * and then to the middle, so that a row of rooms winds up.
 * @param {[number, number]} parent
 * @param {string[]} neighbours
 * @param {Map<string, [number, number]>} cells
 * @returns {[number, number]}
 */
function freeCell([column, row], neighbours, cells) {
  const taken = new Set([...cells.values()].map(String));
  const far = ([x, y] = [0, 0]) =>
    neighbours.reduce((sum, id) => {
      const cell = cells.get(id);
      return sum + (cell ? Math.abs(cell[0] - x) + Math.abs(cell[1] - y) : 0);
    }, 0);
  const all = [...cells.values()];
  const middle = [0, 1].map((axis) => all.reduce((sum, cell) => sum + cell[axis], 0) / all.length);
  const fromMiddle = ([x, y] = [0, 0]) => Math.hypot(x - middle[0], y - middle[1]);
  for (let distance = 1; ; distance += 1) {
    /** @type {[number, number][]} */
    const ring = SIDES.flatMap(([x, y]) =>
      Array.from({ length: distance }, (_, turn) => /** @type {[number, number]} */ ([
        column + x * (distance - turn) - y * turn,
        row + y * (distance - turn) + x * turn,
      ])),
    );
    const free = ring.filter((cell) => !taken.has(String(cell)));
    free.sort((a, b) => far(a) - far(b) || fromMiddle(a) - fromMiddle(b));
    if (free.length > 0) return free[0];
  }
}

/**
 * Sets the position of rooms along one axis: each in the middle of its column or row. Returns the
 * length of the plan.
 * @param {Room[]} rooms
 * @param {'column' | 'row'} line
 * @param {'x' | 'y'} position
 * @param {'width' | 'height'} size
 */
function align(rooms, line, position, size) {
  const lines = [...new Set(rooms.map((room) => room[line]))].sort((a, b) => a - b);
  let start = 0;
  for (const number of lines) {
    const own = rooms.filter((room) => room[line] === number);
    const length = Math.max(...own.map((room) => room[size]));
    for (const room of own) room[position] = start + (length - room[size]) / 2;
    start += length + GAP;
  }
  return Math.max(0, start - GAP);
}

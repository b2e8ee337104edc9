// Reads Space Documents: claims by frame, colours of zones, positions in the walk.

import { words } from './format.js';

/** @typedef {import('./types.js').SpaceDocument} SpaceDocument */
/** @typedef {import('./types.js').FoundObject} FoundObject */
/** @typedef {import('./types.js').Claim} Claim */
/** @typedef {import('./types.js').Evidence} Evidence */
/** @typedef {import('./types.js').Frame} Frame */

/**
 * A claim as the pages show it.
 * @typedef {object} ShownClaim
 * @property {Claim} claim
 * @property {string} kind `zone`, `attribute`, `object`, `text`, `fact`, `measurement`, `opening` or `privacy`
 * @property {string} label
 * @property {string | null} zoneId
 * @property {string | null} targetId the zone, text or object that a correction of the claim names
 * @property {Evidence[]} evidence
 */

/** @typedef {{ shown: ShownClaim, evidence: Evidence }} FrameClaim */

const COLORS = 8;

/**
 * Returns the objects, whose type openapi.json leaves open.
 * @param {SpaceDocument} document
 */
export function objectsOf(document) {
  return /** @type {FoundObject[]} */ (/** @type {unknown} */ (document.objects));
}

/**
 * Returns the index of a document.
 * @param {SpaceDocument} document
 */
export function indexOf(document) {
  const claims = allClaims(document);
  /** @type {Map<string, FrameClaim[]>} */
  const byFrame = new Map();
  for (const shown of claims) {
    for (const evidence of shown.evidence) {
      if (!evidence.frame_id) continue;
      const list = byFrame.get(evidence.frame_id) ?? [];
      list.push({ shown, evidence });
      byFrame.set(evidence.frame_id, list);
    }
  }
  const zoneNumber = new Map(document.zones.map((zone, index) => [zone.id, index]));
  return {
    document,
    claims,
    byFrame,
    frames: new Map(document.frames.map((frame) => [frame.id, frame])),
    zones: new Map(document.zones.map((zone) => [zone.id, zone])),
    byId: new Map(claims.map((shown) => [shown.claim.id, shown])),
    /** @param {string | null | undefined} zone @returns {string} a class of the style sheet */
    color: (zone) => {
      const number = zone ? zoneNumber.get(zone) : undefined;
      return number === undefined ? 'zone-none' : `zone-${number % COLORS}`;
    },
  };
}

/** @typedef {ReturnType<typeof indexOf>} DocumentIndex */

/**
 * @param {SpaceDocument} document
 * @returns {ShownClaim[]}
 */
function allClaims(document) {
  /** @type {ShownClaim[]} */
  const found = [];
  const add = (
    /** @type {string} */ kind,
    /** @type {Claim} */ claim,
    /** @type {string} */ label,
    /** @type {string | null | undefined} */ zoneId,
    /** @type {Evidence[]} */ more = [],
    /** @type {string | null} */ targetId = null,
  ) => found.push({ claim, kind, label, zoneId: zoneId ?? null, targetId, evidence: distinct([...claim.evidence, ...more]) });
  for (const zone of document.zones) {
    for (const claim of zone.types) add('zone', claim, claim.value, zone.id, [], zone.id);
    for (const { name, claim } of zone.attributes) add('attribute', claim, `${words(name)}: ${claim.value}`, zone.id);
  }
  for (const object of objectsOf(document)) {
    add('object', object.category, object.category.value, object.zone_id, object.sightings, object.id);
    if (object.condition) add('object', object.condition, `${object.category.value}: ${object.condition.value}`, object.zone_id);
  }
  for (const text of document.texts) add('text', text.claim, text.raw, text.zone_id, [], text.id);
  for (const fact of document.facts ?? []) add('fact', fact.claim, fact.value, fact.zone_id);
  for (const measure of document.measurements) add('measurement', measure.claim, measure.claim.value, measure.zone_id);
  for (const opening of document.openings) add('opening', opening.claim, opening.claim.value, opening.from_zone_id);
  for (const flag of document.privacy ?? []) add('privacy', flag.claim, flag.kind, null);
  return found;
}

/** @param {Evidence[]} evidence @returns {Evidence[]} */
function distinct(evidence) {
  const key = (/** @type {Evidence} */ { frame_id, narration_id, bbox }) => JSON.stringify([frame_id, narration_id, bbox]);
  return [...new Map(evidence.map((entry) => [key(entry), entry])).values()];
}

/**
 * Returns the frame that shows a claim best: the one with the highest score, with a box if there is
 * one, and with a picture if `frames` has it.
 * @param {{ evidence: Evidence[] }} shown
 * @param {Map<string, Frame>} [frames]
 */
export function bestEvidence({ evidence }, frames) {
  const isShown = (/** @type {Evidence} */ { frame_id }) => !frames || Boolean(frames.get(String(frame_id))?.url);
  const rank = (/** @type {Evidence} */ entry) => entry.score + (entry.bbox ? 10 : 0) + (isShown(entry) ? 100 : 0);
  const withFrame = evidence.filter(({ frame_id }) => frame_id);
  return withFrame.sort((a, b) => rank(b) - rank(a))[0] ?? null;
}

/**
 * Returns a frame's position in the walk, between 0 and 1.
 * @param {SpaceDocument} document
 * @param {{ t_ms?: number | null, ordinal?: number | null }} frame
 */
export function positionIn(document, frame) {
  return toShare(document, document.kind === 'video' ? (frame.t_ms ?? 0) : (frame.ordinal ?? 0));
}

/**
 * Returns the share of the walk before a value of an interval: milliseconds, or the number of a photo.
 * @param {SpaceDocument} document
 * @param {number} value
 */
export function toShare(document, value) {
  return Math.min(1, value / lengthOf(document));
}

/**
 * Returns the length of a walk: milliseconds of the video, or the number of photos.
 * @param {SpaceDocument} document
 */
export function lengthOf(document) {
  if (document.kind !== 'video') return Math.max(1, document.media.length);
  const last = Math.max(0, ...document.zones.flatMap(({ intervals }) => intervals.map(({ end }) => end)));
  return Math.max(1, document.media[0]?.duration_ms ?? last);
}

// A document as large as that of an hour: 600 frames, 40 zones, 4,000 claims, about 2 MB of JSON.

const [FRAMES, ZONES, OBJECTS, TEXTS, SENTENCES] = [600, 40, 1400, 1600, 900];
const SECOND = 1000;

export function hourOfWalk() {
  const frameId = (number) => `frm_${String(number + 1).padStart(5, '0')}`;
  const zoneId = (number) => `zon_${number + 1}`;
  const perZone = FRAMES / ZONES;
  const zoneOf = (frame) => Math.floor(frame / perZone);
  const evidence = (number) => {
    const frame = number % FRAMES;
    const bbox = { x: 0.1 + (number % 7) / 10, y: 0.1 + (number % 5) / 10, w: 0.15, h: 0.12 };
    return { media_id: 'med_video', frame_id: frameId(frame), t_ms: frame * 6 * SECOND, bbox, score: 0.9 };
  };
  const claim = (id, value, number) => ({
    id: `clm_${id}`, value, confidence: 0.5 + (number % 50) / 100, basis: 'observed', run_id: 'run_1',
    evidence: [evidence(number), evidence(number + 1), evidence(number + 2)],
  });
  const times = (count, make) => Array.from({ length: count }, (_, number) => make(number));
  const document = {
    schema_version: '1.1', kind: 'video', language: 'en',
    media: [{ id: 'med_video', kind: 'video', sha256: '0', bytes: 1, width: 1280, height: 720, duration_ms: 3600 * SECOND, has_audio: true }],
    frames: times(FRAMES, (number) => ({
      id: frameId(number), media_id: 'med_video', t_ms: number * 6 * SECOND, width: 1280, height: 720, sharpness: 1, exposure: 0.5,
      hash: '0', kept_because: 'new_view', zone_id: zoneId(zoneOf(number)), key: `k${number}`, url: `/v1/media/k${number}`,
    })),
    zones: times(ZONES, (number) => ({
      id: zoneId(number), label: `Room ${number + 1}`, types: [claim(`type_${number}`, 'office', number * perZone)],
      intervals: [{ start: number * 90 * SECOND, end: (number + 1) * 90 * SECOND }], best_frame_id: frameId(number * perZone),
      frame_ids: times(perZone, (frame) => frameId(number * perZone + frame)),
      attributes: [{ name: 'light', claim: claim(`light_${number}`, 'bright', number * perZone) }], coverage: 0.9,
    })),
    openings: times(ZONES - 1, (number) => ({
      id: `opn_${number}`, from_zone_id: zoneId(number), to_zone_id: zoneId(number + 1), claim: claim(`opn_${number}`, 'way', number * perZone),
    })),
    objects: times(OBJECTS, (number) => ({
      id: `obj_${number}`, category: claim(`obj_${number}`, `chair ${number}`, number), zone_id: zoneId(zoneOf(number % FRAMES)),
      count: { min: 1, best: 1, max: 2 }, sightings: [evidence(number)],
    })),
    texts: times(TEXTS, (number) => ({
      id: `txt_${number}`, raw: `Sign ${number}`, normalized: `sign ${number}`, kind: 'sign', zone_id: zoneId(zoneOf(number % FRAMES)),
      claim: claim(`txt_${number}`, `Sign ${number}`, number),
    })),
    narration: times(SENTENCES, (number) => ({
      id: `nar_${number}`, start_ms: number * 4 * SECOND, end_ms: number * 4 * SECOND + 3000, text: `Sentence ${number} about what is seen here.`,
      source: 'transcribed', confidence: 0.9, zone_id: zoneId(zoneOf(Math.floor((number * 4) / 6))), run_id: 'run_1',
    })),
    measurements: [], boards: [], facts: [], privacy: [], relations: [],
    summary: times(60, (number) => ({ text: `Sentence ${number} of the summary.`, claim_ids: [`clm_txt_${number}`] })),
    quality: { blurred: 0, dark: 0, uncovered: [], warnings: [] }, runs: [],
  };
  const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="1280" height="720"><rect width="1280" height="720" fill="#789"/></svg>';
  return { document, picture };
}

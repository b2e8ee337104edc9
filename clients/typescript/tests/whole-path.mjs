/**
 * Runs the whole path against a running service, with the packed package: `tests/tests/clients`
 * starts it. Scans the video `SCAN_CLIP` and the photos in `SCAN_PHOTOS`, and prints the ids of the scans.
 */

import assert from "node:assert/strict";

import { ConflictError, NotFoundError, ScanClient, hasCode } from "scan-service";

const client = new ScanClient();

async function scanVideo(clip) {
  assert.equal((await client.me()).key.mode, "test");
  const space = await client.spaces.create({ name: "Flat 3", space_type: "apartment", external_id: "node-video" });
  const noDocument = (error) => hasCode(error, "NO_DOCUMENT") && error instanceof ConflictError;
  await assert.rejects(client.spaces.diff(space.id), noDocument);
  await assert.rejects(client.spaces.ask(space.id, "A kitchen?"), noDocument);
  await assert.rejects(client.spaces.get("spc_00000000000000000000000000"), NotFoundError);

  const seen = [];
  const options = { idempotencyKey: "node-video", onProgress: (progress) => seen.push(progress) };
  const scan = await client.scans.submit(space.id, clip, options);
  assert.equal(seen.at(-1).sentBytes, seen.at(-1).totalBytes);
  // A repetition with the same key finds the started scan.
  assert.equal((await client.scans.submit(space.id, clip, options)).id, scan.id);

  const complete = await client.scans.waitUntilComplete(scan.id, { timeout: 300 });
  assert.equal(complete.charge.kind, "free_scan");
  const { document } = await client.spaces.get(space.id);
  const frame = await client.download(document.frames[0].url);
  assert.deepEqual([...frame.slice(0, 3)], [0xff, 0xd8, 0xff]);
  const answer = await client.spaces.ask(space.id, "Is there a kitchen?");
  assert.ok(["answered", "partial", "abstained"].includes(answer.status));
  assert.ok((await client.spaces.skill(space.id)).files.length > 0);
  const scans = [];
  for await (const listed of client.scans.list(space.id)) scans.push(listed.id);
  assert.deepEqual(scans, [scan.id]);
  assert.equal((await client.events.get(`evt_${scan.id}_completed`)).type, "scan.completed");
  return scan.id;
}

async function scanPhotos(folder) {
  const spaces = [];
  for (const name of ["Room 0", "Room 1", "Room 2"]) {
    spaces.push(await client.spaces.create({ name, space_type: "office", external_id: "node-photos" }));
  }
  const listed = [];
  // Several pages.
  for await (const space of client.spaces.list({ external_id: "node-photos", pageSize: 2 })) listed.push(space.id);
  assert.deepEqual(listed, spaces.map((space) => space.id).reverse());
  const scan = await client.scans.submit(spaces[0].id, folder);
  await client.scans.waitUntilComplete(scan.id, { timeout: 300 });
  assert.equal((await client.spaces.get(spaces[0].id)).document.kind, "frames");
  return scan.id;
}

console.log(await scanVideo(process.env.SCAN_CLIP));
console.log(await scanPhotos(process.env.SCAN_PHOTOS));

/** Retries, errors, lists and uploads against scripted responses of the service. */

import assert from "node:assert/strict";
import { mkdtemp, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import {
  ApiConnectionError,
  ConflictError,
  PaymentRequiredError,
  ScanClient,
  ScanEndedError,
  ServerError,
  WaitTimeoutError,
  hasCode,
  type Scan,
  type UploadProgress,
} from "../src/index.js";
import { RetryPolicy } from "../src/retries.js";

/** Waits that no test notices. */
const QUICK = { maxRetries: 3, firstWait: 0.001, maxWait: 5 };
const SPACE = {
  object: "space", id: "spc_1", source: "api", livemode: false, name: "Flat 3", space_type: "apartment",
  created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z",
};
const JPEG = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(1000, "x")]);

type Step = Response | Error;

/** Responds with the given responses in order, and records the requests and their bodies. */
function script(...steps: Step[]) {
  const requests: Request[] = [];
  const bodies: Buffer[] = [];
  const client = new ScanClient({
    apiKey: "sc_test_x",
    baseUrl: "http://api.example/v1/",
    retries: QUICK,
    fetch: async (request) => {
      requests.push(request);
      const step = steps.shift();
      bodies.push(Buffer.from(await request.arrayBuffer()));
      if (step === undefined) throw new RangeError("the script has ended");
      if (step instanceof Error) throw step;
      return step;
    },
  });
  return { client, requests, bodies };
}

const ok = (body: unknown, status = 200) => Response.json(body, { status });
const stored = () => new Response(null, { status: 204 });
const lost = (code = "ECONNRESET") => new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });
const failure = (status: number, code: string, headers: Record<string, string> = {}, detail = {}) =>
  Response.json({ error: { code, message: "because", request_id: "req_1", ...detail } }, { status, headers });
const scan = (status = "awaiting_upload", more = {}): Scan =>
  ({
    object: "scan", id: "scn_1", space_id: "spc_1", status, livemode: false,
    input: { kind: "frames", language: "en", frames: [{}, {}, {}] },
    upload: { kind: "frames", method: "PUT", headers: {}, expires_at: "2026-01-01T00:00:00Z" },
    created_at: "2026-01-01T00:00:00Z", timeline: [], ...more,
  }) as Scan;

async function folder(files: Record<string, Buffer | string>): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "scan-"));
  for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content);
  return path;
}

test("a busy service is asked again until it responds", async () => {
  const { client, requests } = script(failure(503, "UNAVAILABLE", { "retry-after": "0" }), lost(), ok(SPACE));
  assert.equal((await client.spaces.get("spc_1")).name, "Flat 3");
  assert.equal(requests.length, 3);
});

test("a space is created once although the response is lost", async () => {
  const space = { name: "Flat 3", space_type: "apartment" };
  const first = script(lost(), ok(SPACE, 201));
  await assert.rejects(first.client.spaces.create(space), ApiConnectionError);
  assert.equal(first.requests.length, 1);
  // A request over a limit did nothing, and one without a connection was not sent.
  const limited = failure(429, "RATE_LIMIT_EXCEEDED", { "retry-after": "0" });
  const second = script(limited, lost("ECONNREFUSED"), ok(SPACE, 201));
  assert.equal((await second.client.spaces.create(space)).id, "spc_1");
  assert.deepEqual(JSON.parse(String(second.bodies[2])), space);
});

test("a repeated creation of a scan has the same idempotency key", async () => {
  const { client, requests } = script(lost(), ok(scan(), 201));
  await client.scans.create("spc_1", { input: { kind: "frames", language: "en", frames: [{}] } });
  const [first, second] = requests.map((request) => request.headers.get("idempotency-key"));
  assert.ok(first && first.length >= 32 && first === second);
});

test("Retry-After is a lower bound, and a long one is an error", async () => {
  const policy = new RetryPolicy();
  const waits = Array.from({ length: 100 }, () => policy.wait(0, 7) ?? 0);
  assert.ok(waits.every((wait) => wait >= 7 && wait <= 7.5) && new Set(waits).size > 1);
  assert.deepEqual([policy.wait(0, 3600), policy.wait(5, 1)], [undefined, undefined]);
  const { client, requests } = script(failure(429, "RATE_LIMIT_EXCEEDED", { "retry-after": "3600" }));
  await assert.rejects(client.me(), (error) => hasCode(error, "RATE_LIMIT_EXCEEDED") && error.retryAfter === 3600);
  assert.equal(requests.length, 1);
});

test("errors have the class of their status, their code and their details", async () => {
  const poor = script(failure(402, "INSUFFICIENT_FUNDS", {}, { balance_cents: 20 }));
  const start = poor.client.scans.start("scn_1");
  await assert.rejects(start, (error) => {
    assert.ok(hasCode(error, "INSUFFICIENT_FUNDS") && error instanceof PaymentRequiredError);
    assert.deepEqual([error.requestId, error.detail["balance_cents"], error.name], ["req_1", 20, "PaymentRequiredError"]);
    return true;
  });
  const fields = [{ field: "name", message: "is empty" }];
  const invalid = script(failure(400, "VALIDATION_FAILED", {}, { fields }));
  await assert.rejects(invalid.client.spaces.create({ name: "", space_type: "x" }), /name: is empty/);
  await assert.rejects(script(failure(409, "NEW_REASON")).client.me(), ConflictError);
  const proxy = Array.from({ length: 4 }, () => new Response("<html>", { status: 502 }));
  await assert.rejects(script(...proxy).client.me(), ServerError);
});

test("lists iterate over all pages", async () => {
  const page = (name: string, next_cursor: string | null) =>
    ok({ object: "list", data: [{ ...SPACE, name }], next_cursor });
  const { client, requests } = script(page("a", "next"), page("b", null));
  const names = [];
  for await (const space of client.spaces.list({ space_type: "flat" })) names.push(space.name);
  assert.deepEqual(names, ["a", "b"]);
  const queries = requests.map((request) => new URL(request.url).searchParams);
  assert.deepEqual(queries.map((query) => query.get("cursor")), [null, "next"]);
  assert.deepEqual(queries.map((query) => query.get("space_type")), ["flat", "flat"]);
});

test("an interrupted upload sends the lost photo again and skips finished ones", async () => {
  const path = await folder({ "1.jpg": JPEG, "2.jpg": JPEG, "3.jpg": JPEG, "notes.txt": "not a photo" });
  const first = script(stored(), lost(), ok(scan()), stored(), failure(409, "SCAN_CANCELLED"));
  const finished = new Set<number>();
  const seen: UploadProgress[] = [];
  const options = { finished, onProgress: (progress: UploadProgress) => seen.push(progress) };
  await assert.rejects(first.client.scans.upload(scan(), path, options), (e) => hasCode(e, "SCAN_CANCELLED"));
  assert.deepEqual([...finished], [0, 1]);
  const puts = first.requests.flatMap((r, n) => (r.method === "PUT" ? [{ index: r.url.at(-1), n }] : []));
  assert.deepEqual(puts.map((put) => put.index), ["0", "1", "1", "2"]);
  assert.ok(puts.every((put) => first.bodies[put.n]?.equals(JPEG)));
  assert.equal(first.requests[0]?.headers.get("content-type"), "image/jpeg");
  assert.ok(seen.every((progress) => progress.sentBytes <= progress.totalBytes));
  assert.equal(seen.at(-1)?.totalBytes, 3 * JPEG.length);

  const second = script(stored());
  await second.client.scans.upload(scan(), path, { finished });
  assert.deepEqual([finished.size, second.requests.length], [3, 1]);
});

test("an upload is streamed with its length, and storage never sees the key", async () => {
  const bytes = Buffer.concat([Buffer.from("\0\0\0\x18ftypisom"), Buffer.alloc(1_000_000)]);
  const path = await folder({ "walk.mp4": bytes });
  const headers: Record<string, unknown>[] = [];
  let received = 0;
  const server = createServer((request, response) => {
    headers.push(request.headers);
    request.on("data", (chunk: Buffer) => (received += chunk.length));
    request.on("end", () => response.writeHead(200).end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const upload = { kind: "video", method: "PUT", url: `${origin}/bucket/key?X-Amz-Signature=1`, expires_at: "",
    headers: { "Content-Type": "video/mp4", "Content-Length": String(bytes.length) } };
  const client = new ScanClient({ apiKey: "secret", baseUrl: "http://api.example/v1" });
  const seen: number[] = [];
  await client.scans.upload(scan("awaiting_upload", { upload }), join(path, "walk.mp4"), {
    onProgress: (progress) => seen.push(progress.sentBytes),
  });
  server.close();
  assert.equal(received, bytes.length);
  assert.equal(headers[0]?.["content-length"], String(bytes.length));
  assert.equal(headers[0]?.["transfer-encoding"], undefined);
  assert.equal(headers[0]?.["authorization"], undefined);
  assert.ok(seen.length > 3 && seen.at(-1) === bytes.length);
});

test("unknown and mixed files are refused before anything is sent", async () => {
  const path = await folder({ "a.jpg": JPEG, "a.txt": "hello", "a.mp4": "\0\0\0\x18ftypisom" });
  for (const media of [join(path, "a.txt"), [join(path, "a.jpg"), join(path, "a.mp4")], []]) {
    const { client, requests } = script();
    await assert.rejects(client.scans.submit("spc_1", media), TypeError);
    assert.equal(requests.length, 0);
  }
});

test("a wait reports failures and its own end", async () => {
  const error = { code: "MEDIA_UNREADABLE", message: "no video", retryable: false };
  const { client } = script(ok(scan("processing")), ok(scan("failed", { error })));
  const seen: string[] = [];
  const wait = client.scans.waitUntilComplete("scn_1", { onProgress: (s) => seen.push(s.status) });
  await assert.rejects(wait, (e) => e instanceof ScanEndedError && e.code === "MEDIA_UNREADABLE");
  assert.deepEqual(seen, ["processing", "failed"]);
  const endless = script(ok(scan("processing"))).client;
  await assert.rejects(endless.scans.waitUntilComplete("scn_1", { timeout: 0 }), WaitTimeoutError);
});

test("an event stream continues after the last event", async () => {
  const event = (id: string) => `: alive\n\nid: ${id}\nevent: scan.completed\ndata: {"id":"${id}"}\n\n`;
  const { client, requests } = script(new Response(event("evt_1")), lost(), new Response(event("evt_2")));
  const stream = client.events.stream();
  const ids = [(await stream.next()).value?.id, (await stream.next()).value?.id];
  assert.deepEqual(ids, ["evt_1", "evt_2"]);
  assert.deepEqual(requests.map((r) => r.headers.get("last-event-id")), [null, "evt_1", "evt_1"]);
});

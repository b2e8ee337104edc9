/**
 * Verifies webhook requests.
 *
 * `Scan-Signature` is `t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<raw body>">`. While a secret is
 * being rotated, the header has one `v1` for each secret.
 */

import { createHmac, timingSafeEqual } from "node:crypto";

import { WebhookSignatureError } from "./errors.js";
import type { Event } from "./types.js";

/** Header with the signature. */
export const SIGNATURE_HEADER = "Scan-Signature";
/** Header with the id of the event. Deliveries are repeated: skip ids that you have processed. */
export const EVENT_ID_HEADER = "Scan-Event-Id";
/** Maximum difference between the time of a signature and this machine's clock, in seconds. */
export const TOLERANCE_SECONDS = 300;

/** Maximum number of header entries that are read. */
const MAX_ENTRIES = 16;

export interface VerifyOptions {
  /** Seconds; default: {@link TOLERANCE_SECONDS}. */
  tolerance?: number;
  /** Time in unix seconds; default: now. */
  now?: number;
}

/**
 * Verifies a webhook request and returns its event.
 *
 * @param body The raw body, exactly as received: parsing and writing JSON again changes it.
 * @param signature Value of the header `Scan-Signature`.
 * @param secret Signing secret of the endpoint; starts with `whsec_`.
 * @throws {WebhookSignatureError} if the request must be refused. Respond with 400 then.
 */
export function verify(
  body: string | Uint8Array,
  signature: string | null | undefined,
  secret: string,
  options: VerifyOptions = {},
): Event {
  const { time, candidates } = parse(signature ?? "");
  const expected = createHmac("sha256", secret).update(`${time}.`).update(body).digest();
  // Compares all candidates, each in constant time.
  const matches = candidates.map((candidate) => {
    const bytes = /^[0-9a-f]{64}$/i.test(candidate) ? Buffer.from(candidate, "hex") : Buffer.alloc(0);
    return bytes.length === expected.length && timingSafeEqual(bytes, expected);
  });
  if (!matches.includes(true)) throw new WebhookSignatureError("the signature does not match the body");
  const now = options.now ?? Date.now() / 1000;
  if (Math.abs(now - Number(time)) > (options.tolerance ?? TOLERANCE_SECONDS)) {
    throw new WebhookSignatureError("the time of the signature is outside of the tolerance");
  }
  return JSON.parse(typeof body === "string" ? body : Buffer.from(body).toString("utf8")) as Event;
}

/** Returns the digits of the time, as sent, and all signatures. */
function parse(header: string): { time: string; candidates: string[] } {
  const malformed = new WebhookSignatureError("the signature header is malformed");
  const times: string[] = [];
  const candidates: string[] = [];
  for (const entry of header.split(",").slice(0, MAX_ENTRIES)) {
    const at = entry.indexOf("=");
    if (at < 0) throw malformed;
    const [name, value] = [entry.slice(0, at).trim(), entry.slice(at + 1).trim()];
    if (name === "t") times.push(value);
    else if (name === "v1") candidates.push(value);
  }
  const [time] = times;
  if (time === undefined || times.length > 1 || !/^\d{1,15}$/.test(time) || candidates.length === 0) throw malformed;
  return { time, candidates };
}

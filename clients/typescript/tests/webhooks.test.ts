/** Verification of webhook requests. */

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";

import { WebhookSignatureError, webhooks } from "../src/index.js";

const SECRET = `whsec_${"a".repeat(40)}`;
const NOW = 1_700_000_000;
const BODY = JSON.stringify({ id: "evt_1", object: "event", type: "scan.completed", data: {} });

const mac = (time: string | number = NOW, secret = SECRET, body = BODY) =>
  createHmac("sha256", secret).update(`${time}.${body}`).digest("hex");
const verify = (header: string, now = NOW) => webhooks.verify(Buffer.from(BODY), header, SECRET, { now }).id;

test("a signed request is accepted within the tolerance", () => {
  const header = `t=${NOW},v1=${mac()}`;
  for (const seconds of [-300, 0, 300]) assert.equal(verify(header, NOW + seconds), "evt_1");
  for (const seconds of [-301, 301]) assert.throws(() => verify(header, NOW + seconds), /tolerance/);
});

test("any signature of a rotation and unknown schemes are accepted", () => {
  assert.equal(verify(`t=${NOW},v1=${mac(NOW, "whsec_old")},v1=${mac()}`), "evt_1");
  assert.equal(verify(`t=${NOW}, v0=x, v1=${mac()}`), "evt_1");
});

for (const header of [
  "",
  "t",
  `t=${NOW}`,
  `v1=${mac()}`,
  `t=,v1=${mac("")}`,
  `t=-5,v1=${mac("-5")}`,
  `t=${NOW},t=${NOW},v1=${mac()}`,
  `t=${NOW},v1=${mac(NOW, "whsec_other")}`,
  `t=${NOW},v1=${mac(NOW, SECRET, `${BODY} `)}`,
  `t=0${NOW},v1=${mac()}`,
  `t=${NOW},v1=é`,
  `t=${NOW}${",v0=x".repeat(20)},v1=${mac()}`,
]) {
  test(`the header "${header.slice(0, 40)}" is refused`, () => {
    assert.throws(() => verify(header), WebhookSignatureError);
  });
}

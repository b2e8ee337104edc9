// Receives webhooks of Scan Service: verifies each delivery and processes each event once.

import express from "express";
import { WebhookSignatureError, webhooks } from "scan-service";

const secret = process.env.SCAN_WEBHOOK_SECRET;
if (!secret) throw new Error("set SCAN_WEBHOOK_SECRET");

const app = express();
// Deliveries are repeated. In production, this is a table with the event id as its key.
const processed = new Set();

// The raw body: parsing and writing JSON again would change the signed bytes.
app.post("/webhooks", express.raw({ type: "application/json", limit: "1mb" }), (request, response) => {
  let event;
  try {
    event = webhooks.verify(request.body ?? "", request.get(webhooks.SIGNATURE_HEADER), secret);
  } catch (error) {
    if (!(error instanceof WebhookSignatureError)) throw error;
    response.status(400).send(error.message);
    return;
  }
  if (!processed.has(event.id)) {
    handle(event);
    processed.add(event.id);
  }
  response.sendStatus(204);
});

// Does the work. Respond within ten seconds: hand longer work to a queue.
function handle(event) {
  console.log(event.type, event.id);
}

app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1");

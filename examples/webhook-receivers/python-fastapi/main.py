"""Receives webhooks of Scan Service: verifies each delivery and processes each event once."""

import os

from fastapi import FastAPI, HTTPException, Request
from scan_service import WebhookSignatureError, webhooks
from scan_service.models import Event

SECRET = os.environ["SCAN_WEBHOOK_SECRET"]

app = FastAPI()
# Deliveries are repeated. In production, this is a table with the event id as its key.
processed: set[str] = set()


@app.post("/webhooks", status_code=204)
async def receive(request: Request) -> None:
    # The raw body: parsing and writing JSON again would change the signed bytes.
    body = await request.body()
    try:
        event = webhooks.verify(body, request.headers.get(webhooks.SIGNATURE_HEADER, ""), SECRET)
    except WebhookSignatureError as error:
        raise HTTPException(400, str(error)) from error
    if event.id not in processed:
        process(event)
        processed.add(event.id)


def process(event: Event) -> None:
    """Does the work. Respond within ten seconds: hand longer work to a queue."""
    print(event.type_, event.id, flush=True)

"""Verifies webhook requests.

`Scan-Signature` is `t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<raw body>">`. While a secret is
being rotated, the header has one `v1` for each secret.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import time

from .errors import WebhookSignatureError
from .generated.models import Event

#: Header with the signature.
SIGNATURE_HEADER = "Scan-Signature"
#: Header with the id of the event. Deliveries are repeated: skip ids that you have processed.
EVENT_ID_HEADER = "Scan-Event-Id"
#: Maximum difference between the time of a signature and this machine's clock, in seconds.
TOLERANCE_SECONDS = 300

#: Maximum number of header entries that are read.
_MAX_ENTRIES = 16


def verify(
    body: bytes,
    signature: str,
    secret: str,
    *,
    tolerance: float = TOLERANCE_SECONDS,
    now: float | None = None,
) -> Event:
    """Verifies a webhook request and returns its event.

    `body` is the raw body, exactly as received: parsing and writing JSON again changes it.
    `signature` is the value of the header `Scan-Signature`, `secret` starts with `whsec_`.

    Raises `WebhookSignatureError` if the request must be refused. Respond with 400 then.
    """
    signed_at, candidates = _parse(signature)
    expected = hmac.new(secret.encode(), signed_at.encode() + b"." + body, hashlib.sha256).hexdigest().encode()
    # Compares all candidates, each in constant time.
    matches = [hmac.compare_digest(expected, candidate.lower().encode()) for candidate in candidates]
    if not any(matches):
        raise WebhookSignatureError("the signature does not match the body")
    if abs((time.time() if now is None else now) - int(signed_at)) > tolerance:
        raise WebhookSignatureError("the time of the signature is outside of the tolerance")
    return Event.from_dict(json.loads(body))


def _parse(header: str) -> tuple[str, list[str]]:
    """Returns the digits of the time, as sent, and all signatures."""
    times: list[str] = []
    candidates: list[str] = []
    for entry in header.split(",")[:_MAX_ENTRIES]:
        name, separator, value = entry.strip().partition("=")
        if not separator:
            raise WebhookSignatureError("the signature header is malformed")
        if name == "t":
            times.append(value)
        elif name == "v1":
            candidates.append(value)
    is_time = len(times) == 1 and times[0].isascii() and times[0].isdigit() and len(times[0]) <= 18
    if not is_time or not candidates:
        raise WebhookSignatureError("the signature header is malformed")
    return times[0], candidates

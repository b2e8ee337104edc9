"""Verification of webhook requests."""

import hashlib
import hmac
import json

import pytest

from scan_service import WebhookSignatureError, webhooks

SECRET = "whsec_" + "a" * 40
NOW = 1_700_000_000
BODY = json.dumps(
    {
        "id": "evt_1", "object": "event", "type": "scan.completed", "livemode": False,
        "created_at": "2026-01-01T00:00:00Z", "data": {},
    }
).encode()  # fmt: skip


def mac(time: str = str(NOW), secret: str = SECRET, body: bytes = BODY) -> str:
    return hmac.new(secret.encode(), time.encode() + b"." + body, hashlib.sha256).hexdigest()


def verify(header: str, now: float = NOW) -> str:
    return webhooks.verify(BODY, header, SECRET, now=now).id


def test_signed_request_is_accepted_within_the_tolerance() -> None:
    header = f"t={NOW},v1={mac()}"
    assert [verify(header, NOW + seconds) for seconds in (-300, 0, 300)] == ["evt_1"] * 3
    for seconds in (-301, 301):
        with pytest.raises(WebhookSignatureError, match="tolerance"):
            verify(header, NOW + seconds)


def test_any_signature_of_a_rotation_and_unknown_schemes_are_accepted() -> None:
    old = mac(secret="whsec_old")
    assert verify(f"t={NOW},v1={old},v1={mac()}") == "evt_1"
    assert verify(f"t={NOW}, v0=x, v1={mac()}") == "evt_1"


@pytest.mark.parametrize(
    "header",
    [
        "",
        "t",
        f"t={NOW}",
        f"v1={mac()}",
        f"t=,v1={mac('')}",
        f"t=-5,v1={mac('-5')}",
        f"t={NOW},t={NOW},v1={mac()}",
        f"t={NOW},v1={mac(secret='whsec_other')}",
        f"t={NOW},v1={mac(body=BODY + b' ')}",
        f"t=0{NOW},v1={mac()}",
        f"t={NOW},v1=é",
        f"t={NOW}" + ",v0=x" * 20 + f",v1={mac()}",
    ],
)
def test_anything_else_is_refused(header: str) -> None:
    with pytest.raises(WebhookSignatureError):
        verify(header)

"""Retries, errors, lists and uploads against scripted responses of the service."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from scan_service import ApiConnectionError, AsyncScanClient, RetryPolicy, ScanClient, UploadProgress, errors, models

#: Waits that no test notices.
QUICK = RetryPolicy(max_retries=3, first_wait=0.001, max_wait=5.0)
SPACE = {
    "object": "space", "id": "spc_1", "source": "api", "livemode": False, "name": "Flat 3",
    "space_type": "apartment", "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
}  # fmt: skip
JPEG = b"\xff\xd8\xff" + b"x" * 1000

Step = httpx.Response | Exception


class Script(httpx.BaseTransport):
    """Responds with the given responses in order, and records the requests."""

    def __init__(self, *steps: Step) -> None:
        self.steps = list(steps)
        self.requests: list[httpx.Request] = []
        self.bodies: list[bytes] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        self.bodies.append(request.read())
        step = self.steps.pop(0)
        if isinstance(step, Exception):
            raise step
        return step


def failure(status: int, code: str, headers: dict[str, str] | None = None, **detail: Any) -> httpx.Response:
    error = {"code": code, "message": "because", "request_id": "req_1", **detail}
    return httpx.Response(status, json={"error": error}, headers=headers)


def client(script: Script, retries: RetryPolicy = QUICK) -> ScanClient:
    return ScanClient("sc_test_x", "http://api.example/v1", transport=script, retries=retries)


def scan(status: str = "awaiting_upload", **more: Any) -> dict[str, Any]:
    upload = {
        "kind": "frames", "method": "PUT", "url_template": "http://api.example/v1/scans/scn_1/frames/{index}",
        "headers": {}, "expires_at": "2026-01-01T00:00:00Z",
    }  # fmt: skip
    return {
        "object": "scan", "id": "scn_1", "space_id": "spc_1", "status": status, "livemode": False,
        "input": {"kind": "frames", "language": "en", "frames": [{}, {}]}, "upload": upload,
        "created_at": "2026-01-01T00:00:00Z", "timeline": [], **more,
    }  # fmt: skip


def test_busy_service_is_asked_again_until_it_responds() -> None:
    script = Script(
        failure(503, "UNAVAILABLE", {"Retry-After": "0"}),
        httpx.ReadError("lost"),
        httpx.Response(200, json=SPACE),
    )
    assert client(script).spaces.get("spc_1").name == "Flat 3"
    assert len(script.requests) == 3


def test_space_is_created_once_although_the_response_is_lost() -> None:
    script = Script(httpx.ReadError("lost"), httpx.Response(201, json=SPACE))
    with pytest.raises(ApiConnectionError):
        client(script).spaces.create("Flat 3", "apartment")
    assert len(script.requests) == 1
    # A request over a limit did nothing, and one without a connection was not sent.
    script = Script(
        failure(429, "RATE_LIMIT_EXCEEDED", {"Retry-After": "0"}),
        httpx.ConnectError("refused"),
        httpx.Response(201, json=SPACE),
    )
    assert client(script).spaces.create("Flat 3", "apartment").id == "spc_1"


def test_repeated_creation_of_a_scan_has_the_same_idempotency_key() -> None:
    script = Script(httpx.ReadError("lost"), httpx.Response(201, json=scan()))
    new = models.NewScan.from_dict({"input": {"kind": "frames", "language": "en", "frames": [{}]}})
    assert client(script).scans.create("spc_1", new).id == "scn_1"
    first, second = (request.headers["idempotency-key"] for request in script.requests)
    assert first == second and len(first) >= 32


def test_retry_after_is_a_lower_bound_and_a_long_one_is_an_error() -> None:
    policy = RetryPolicy(max_wait=60)
    waits = [policy.wait(0, 7.0) for _ in range(100)]
    assert all(wait is not None and 7.0 <= wait <= 7.5 for wait in waits) and len(set(waits)) > 1
    assert policy.wait(0, 3600.0) is None and policy.wait(5, 1.0) is None
    bounds = [max(policy.wait(n) or 0 for _ in range(200)) for n in range(5)]
    assert bounds == sorted(bounds) and bounds[4] <= 8

    script = Script(failure(429, "RATE_LIMIT_EXCEEDED", {"Retry-After": "3600"}))
    with pytest.raises(errors.RateLimitExceededError) as caught:
        client(script).me()
    assert caught.value.retry_after == 3600 and len(script.requests) == 1


def test_errors_have_the_class_of_their_code_and_their_details() -> None:
    script = Script(failure(402, "INSUFFICIENT_FUNDS", balance_cents=20))
    with pytest.raises(errors.InsufficientFundsError) as caught:
        client(script).scans.start("scn_1")
    assert (caught.value.status, caught.value.request_id) == (402, "req_1")
    assert caught.value.detail["balance_cents"] == 20 and isinstance(caught.value, errors.PaymentRequiredError)

    fields = [{"field": "name", "message": "is empty"}]
    with pytest.raises(errors.ValidationFailedError, match="name: is empty"):
        client(Script(failure(400, "VALIDATION_FAILED", fields=fields))).spaces.create("", "flat")
    # A code that this version does not know, and a response of a proxy.
    with pytest.raises(errors.ConflictError) as conflict:
        client(Script(failure(409, "NEW_REASON"))).me()
    assert conflict.value.code == "NEW_REASON"
    with pytest.raises(errors.ServerError):
        client(Script(httpx.Response(502, text="<html>")), RetryPolicy(max_retries=0)).me()


def test_every_code_of_the_contract_that_a_key_can_get_has_a_class() -> None:
    contract = json.loads((Path(__file__).parents[3] / "openapi.json").read_text())
    codes: set[str] = set()
    for operations in contract["paths"].values():
        for operation in operations.values():
            if {"api_key": []} in operation.get("security", []):
                for status, response in operation["responses"].items():
                    if status >= "4":
                        codes |= set(re.findall(r"`([A-Z_]+)`", response["description"]))
    assert len(codes) > 20
    # Only a session of the console is bound to an origin.
    assert codes - set(errors.CLASS_BY_CODE) == {"ORIGIN_REFUSED"}


def test_values_of_a_newer_service_are_accepted() -> None:
    newer = scan(status="archived", color="red")
    read = client(Script(httpx.Response(200, json=newer))).scans.get("scn_1")
    assert read.status == "archived" and read.additional_properties == {"color": "red"}


def test_lists_iterate_over_all_pages() -> None:
    def page(name: str, cursor: str | None) -> httpx.Response:
        return httpx.Response(200, json={"object": "list", "data": [SPACE | {"name": name}], "next_cursor": cursor})

    script = Script(page("a", "next"), page("b", None))
    assert [space.name for space in client(script).spaces.list(space_type="flat")] == ["a", "b"]
    assert [request.url.params.get("cursor") for request in script.requests] == [None, "next"]
    assert script.requests[1].url.params["space_type"] == "flat"


def test_interrupted_upload_sends_the_lost_photo_again_and_skips_finished_ones(tmp_path: Path) -> None:
    for name in ("1.jpg", "2.jpg", "3.jpg"):
        (tmp_path / name).write_bytes(JPEG)
    (tmp_path / "notes.txt").write_text("not a photo")
    stored = httpx.Response(204)
    current = httpx.Response(200, json=scan())
    script = Script(stored, httpx.WriteError("lost"), current, httpx.Response(204), failure(409, "SCAN_CANCELLED"))
    finished: set[int] = set()
    seen: list[UploadProgress] = []
    awaiting = models.Scan.from_dict(scan())
    with pytest.raises(errors.ScanCancelledError):
        client(script).scans.upload(awaiting, tmp_path, finished=finished, on_progress=seen.append)
    assert finished == {0, 1}
    puts = [request for request in script.requests if request.method == "PUT"]
    assert [request.url.path[-1] for request in puts] == ["0", "1", "1", "2"]
    assert puts[0].headers["content-length"] == str(len(JPEG)) and puts[0].headers["content-type"] == "image/jpeg"
    assert all(body == JPEG for request, body in zip(script.requests, script.bodies) if request.method == "PUT")
    assert seen[-1].total_bytes == 3 * len(JPEG) and max(p.fraction for p in seen) <= 1.0

    script = Script(httpx.Response(204))
    client(script).scans.upload(awaiting, tmp_path, finished=finished)
    assert finished == {0, 1, 2} and len(script.requests) == 1


def test_storage_never_sees_the_key(tmp_path: Path) -> None:
    video = tmp_path / "walk.mp4"
    video.write_bytes(b"\0\0\0\x18ftypisom" + b"x" * 100)
    signed = scan()
    signed["upload"] |= {"kind": "video", "url": "http://storage.example/b/k?X-Amz-Signature=1"}
    script = Script(httpx.Response(200))
    client(script).scans.upload(models.Scan.from_dict(signed), video)
    assert script.requests[0].url.host == "storage.example" and "authorization" not in script.requests[0].headers


def test_unknown_and_mixed_files_are_refused_before_anything_is_sent(tmp_path: Path) -> None:
    photo, text, video = tmp_path / "a.jpg", tmp_path / "a.txt", tmp_path / "a.mp4"
    photo.write_bytes(JPEG)
    text.write_text("hello")
    video.write_bytes(b"\0\0\0\x18ftypisom")
    for media in (text, [photo, video], []):
        script = Script()
        with pytest.raises(ValueError):
            client(script).scans.submit("spc_1", media)
        assert script.requests == []


def test_wait_reports_failures_and_its_own_end() -> None:
    error = {"code": "MEDIA_UNREADABLE", "message": "no video", "retryable": False}
    script = Script(httpx.Response(200, json=scan("processing")), httpx.Response(200, json=scan("failed", error=error)))
    seen: list[str] = []
    with pytest.raises(errors.ScanEndedError, match="MEDIA_UNREADABLE") as caught:
        client(script).scans.wait_until_complete("scn_1", on_progress=lambda s: seen.append(s.status))
    assert caught.value.code == "MEDIA_UNREADABLE" and seen == ["processing", "failed"]
    script = Script(httpx.Response(200, json=scan("processing")))
    with pytest.raises(errors.WaitTimeoutError):
        client(script).scans.wait_until_complete("scn_1", timeout=0)


def test_event_stream_continues_after_the_last_event() -> None:
    def event(name: str) -> str:
        body = {
            "id": name, "object": "event", "type": "scan.completed", "livemode": False,
            "created_at": "2026-01-01T00:00:00Z", "data": {},
        }  # fmt: skip
        return f": alive\n\nid: {name}\nevent: scan.completed\ndata: {json.dumps(body)}\n\n"

    script = Script(
        httpx.Response(200, text=event("evt_1")), httpx.ReadError("lost"), httpx.Response(200, text=event("evt_2"))
    )
    stream = client(script).events.stream()
    assert [next(stream).id, next(stream).id] == ["evt_1", "evt_2"]
    assert [r.headers.get("last-event-id") for r in script.requests] == [None, "evt_1", "evt_1"]


def test_asynchronous_client_does_the_same() -> None:
    steps: list[Step] = [failure(503, "UNAVAILABLE"), httpx.Response(200, json=SPACE)]

    def respond(request: httpx.Request) -> httpx.Response:
        step = steps.pop(0)
        assert isinstance(step, httpx.Response)
        return step

    async def run(handler: Callable[[httpx.Request], httpx.Response]) -> str:
        transport = httpx.MockTransport(handler)
        async with AsyncScanClient("k", "http://api.example/v1", transport=transport, retries=QUICK) as api:
            return (await api.spaces.get("spc_1")).name

    assert asyncio.run(run(respond)) == "Flat 3" and steps == []

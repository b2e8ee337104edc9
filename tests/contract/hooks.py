"""Constraints of valid requests that JSON Schema cannot express, and a serializer for bytes."""

from datetime import datetime, timedelta, timezone

import schemathesis
from schemathesis import GenerationMode

VIDEO_TYPES = ("video/mp4", "video/quicktime", "video/webm", "video/x-matroska")


@schemathesis.serializer(*VIDEO_TYPES)
def send_unchanged(ctx, value):
    """Sends videos as bytes, like photos."""
    return value


@schemathesis.hook
def before_call(ctx, case, kwargs):
    """Adjusts valid requests to constraints that the schema lacks. Leaves invalid ones unchanged."""
    meta = case.meta
    if meta is None or meta.generation.mode != GenerationMode.POSITIVE:
        return
    # Cursors and event ids come from the service and cannot be generated.
    if isinstance(case.query, dict):
        case.query.pop("cursor", None)
    if case.headers is not None:
        case.headers.pop("Last-Event-ID", None)
    body = case.body
    if not isinstance(body, dict):
        return
    # Only the response of another request names the scans of a space.
    if "question" in body:
        body.pop("scan_id", None)
    if body.get("expires_at"):
        body["expires_at"] = (datetime.now(timezone.utc) + timedelta(days=1)).isoformat()
    if "daily_limit_cents" in body:
        body["daily_limit_cents"] = max(body["daily_limit_cents"], body["amount_cents"])
    scan = body.get("input")
    if isinstance(scan, dict):
        sort_by_time(scan)


def sort_by_time(scan):
    """Sorts photos and transcript segments by time."""
    frames = scan.get("frames") or []
    times = sorted(f["timestamp_ms"] for f in frames if f.get("timestamp_ms") is not None)
    for frame in frames:
        if frame.get("timestamp_ms") is not None:
            frame["timestamp_ms"] = times.pop(0)
    segments = (scan.get("transcript") or {}).get("segments") or []
    for segment in segments:
        segment["end_ms"] = max(segment["start_ms"], segment["end_ms"])
    segments.sort(key=lambda segment: segment["start_ms"])

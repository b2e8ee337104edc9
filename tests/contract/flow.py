"""Runs a scan with a client generated from openapi.json: create, upload, start, poll, read."""

import os
import sys
import time
from pathlib import Path

from scan_client import AuthenticatedClient
from scan_client.api.account import get_me
from scan_client.api.scans import create_scan, get_scan, start_scan
from scan_client.api.spaces import create_space, get_space
from scan_client.models import (
    NewScan,
    NewSpace,
    ScanStatus,
    StartScan,
    VideoInput,
    VideoScanInput,
    VideoScanInputKind,
)

LIMIT_SECONDS = 300


def main():
    client = AuthenticatedClient(base_url=os.environ["SCAN_API_URL"], token=os.environ["SCAN_API_KEY"])
    me = get_me.sync(client=client)
    print("key      ", me.key.id, me.key.mode)

    space = create_space.sync(client=client, body=NewSpace(name="Flat 3", space_type="apartment"))
    print("space    ", space.id)

    video = Path(os.environ["SCAN_CLIP"]).read_bytes()
    declared = VideoInput(content_type="video/mp4", content_length=len(video))
    new = NewScan(input_=VideoScanInput(kind=VideoScanInputKind.VIDEO, language="en", video=declared))
    created = create_scan.sync_detailed(space.id, client=client, body=new, idempotency_key="a-first-scan")
    scan = created.parsed
    print("scan     ", scan.id, created.status_code.value, scan.status.value)
    again = create_scan.sync_detailed(space.id, client=client, body=new, idempotency_key="a-first-scan")
    assert (again.status_code.value, again.parsed.id) == (200, scan.id), again

    # Method, URL and headers come from `upload`.
    upload = scan.upload
    headers = upload.headers.additional_properties
    sent = client.get_httpx_client().request(upload.method, upload.url, headers=headers, content=video)
    assert sent.status_code == 204, sent.text
    print("upload   ", len(video), "bytes")

    started = start_scan.sync_detailed(scan.id, client=client, body=StartScan())
    assert started.status_code.value == 202, started
    print("started  ", started.parsed.status.value, started.parsed.charge.kind.value)

    began = time.monotonic()
    while True:
        scan = get_scan.sync(scan.id, client=client)
        if scan.status in (ScanStatus.COMPLETE, ScanStatus.FAILED, ScanStatus.CANCELLED):
            break
        if time.monotonic() - began > LIMIT_SECONDS:
            sys.exit(f"still {scan.status.value} after {LIMIT_SECONDS} s")
        time.sleep(0.5)
    print("ended    ", scan.status.value, [entry.status.value for entry in scan.timeline])
    assert scan.status == ScanStatus.COMPLETE, scan

    document = get_space.sync(space.id, client=client).document
    print("document ", len(document.frames), "frames,", len(document.zones), "zones,", len(document.texts), "texts")
    assert document.frames


if __name__ == "__main__":
    main()

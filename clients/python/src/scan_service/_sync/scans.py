"""Scans: create, upload, start, wait."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

from .. import _media
from .._media import Media, UploadProgress
from ..errors import ScanEndedError, WaitTimeoutError
from ..generated.api.scans import (
    cancel_scan,
    create_scan,
    get_scan,
    get_scan_of_space,
    list_scans,
    retry_scan,
    start_scan,
)
from ..generated.client import AuthenticatedClient
from ..generated.models import (
    NewScan,
    RetryScan,
    Scan,
    ScanList,
    ScanStatus,
    ScanWithDocument,
    StartScan,
    Transcript,
)
from ..generated.types import Response, Unset
from ._io import sleep
from .pages import PAGE_SIZE, expect, iterate
from .uploads import Uploader

_ENDED = (ScanStatus.COMPLETE, ScanStatus.FAILED, ScanStatus.CANCELLED)
#: Waits between two requests for the status: it changes quickly at first, slowly later. In seconds.
_FIRST_POLL, _LAST_POLL = 0.5, 5.0


class Scans:
    """Operations on scans."""

    def __init__(self, api: AuthenticatedClient, uploader: Uploader) -> None:
        self._api = api
        self._uploader = uploader

    def submit(
        self,
        space_id: str,
        media: Media,
        *,
        language: str = "en",
        transcript: Transcript | None = None,
        on_progress: Callable[[UploadProgress], None] | None = None,
        finished: set[int] | None = None,
        idempotency_key: str | None = None,
    ) -> Scan:
        """Creates a scan of a video, of photos in order or of a folder of photos, uploads and starts it.

        Starting charges the wallet; a scan that fails is refunded. To continue after a crash of your
        program, call it again with the same `idempotency_key`, and with the set that an earlier call
        filled as `finished`.
        """
        files = _media.find(media)
        scan = self.create(
            space_id, _media.declare(files, language, transcript), idempotency_key=idempotency_key
        )
        if scan.status == ScanStatus.AWAITING_UPLOAD:
            self.upload(scan, media, on_progress=on_progress, finished=finished)
        return self.start(scan.id)

    def create(self, space_id: str, new: NewScan, *, idempotency_key: str | None = None) -> Scan:
        """Creates a scan and charges nothing. `upload` of the response says how to upload its media."""
        response = create_scan.sync_detailed(
            space_id, client=self._api, body=new, idempotency_key=idempotency_key or str(uuid.uuid4())
        )
        return expect(response, Scan)

    def upload(
        self,
        scan: Scan,
        media: Media,
        *,
        on_progress: Callable[[UploadProgress], None] | None = None,
        finished: set[int] | None = None,
    ) -> None:
        """Uploads the media of a scan. A file whose connection is lost is sent again.

        `finished` holds the indexes of photos that are stored. They are skipped, and each photo is
        added once it is stored: pass the same set again to continue an upload that failed.
        """
        files = _media.find(media)
        self._uploader.upload(self.get, scan, files, on_progress, set() if finished is None else finished)

    def start(self, scan_id: str) -> Scan:
        """Starts and charges an uploaded scan. Repeating it charges nothing again."""
        return expect(start_scan.sync_detailed(scan_id, client=self._api, body=StartScan()), Scan)

    def wait_until_complete(
        self,
        scan_id: str,
        *,
        timeout: float | None = 3600.0,
        on_progress: Callable[[Scan], None] | None = None,
    ) -> Scan:
        """Waits until a scan is complete, and returns it.

        Raises `ScanEndedError` if it failed or was cancelled, and `WaitTimeoutError` after `timeout`
        seconds (None waits without end). Calls `on_progress` with each status that it reads.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        pause = _FIRST_POLL
        while True:
            scan = self.get(scan_id)
            if on_progress is not None:
                on_progress(scan)
            if scan.status == ScanStatus.COMPLETE:
                return scan
            if scan.status in _ENDED:
                raise ScanEndedError(scan)
            # Jitter keeps clients that started together from asking together.
            wait = random.uniform(pause / 2, pause)
            if deadline is not None:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise WaitTimeoutError(f"scan {scan_id} is still {scan.status} after {timeout} s")
                wait = min(wait, left)
            sleep(wait)
            pause = min(_LAST_POLL, pause * 1.5)

    def get(self, scan_id: str) -> Scan:
        """Returns a scan. While it awaits its upload, with fresh upload instructions."""
        return expect(get_scan.sync_detailed(scan_id, client=self._api), Scan)

    def get_with_document(self, space_id: str, scan_id: str) -> ScanWithDocument:
        """Returns a scan with the document it wrote."""
        response = get_scan_of_space.sync_detailed(space_id, scan_id, client=self._api)
        return expect(response, ScanWithDocument)

    def list(self, space_id: str, *, page_size: int = PAGE_SIZE) -> Iterator[Scan]:
        """Iterates over the scans of a space, newest first."""

        def fetch(cursor: str | Unset) -> Response[Any]:
            return list_scans.sync_detailed(
                space_id, client=self._api, limit=page_size, cursor=cursor
            )

        return iterate(fetch, ScanList)

    def cancel(self, scan_id: str) -> None:
        """Cancels a scan that awaits its upload."""
        cancel_scan.sync_detailed(scan_id, client=self._api)

    def retry(self, scan_id: str, *, idempotency_key: str | None = None) -> Scan:
        """Scans the media of a failed scan again, and returns the new scan."""
        response = retry_scan.sync_detailed(
            scan_id, client=self._api, body=RetryScan(), idempotency_key=idempotency_key or str(uuid.uuid4())
        )
        return expect(response, Scan)

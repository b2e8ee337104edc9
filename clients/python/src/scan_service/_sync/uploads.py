"""Uploads of media: streamed from disk, with progress, repeated after a lost connection."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from urllib.parse import urlsplit

import httpx

from .._media import MediaFile, UploadProgress
from .._retries import RetryPolicy
from ..errors import ApiConnectionError, ApiError, PermissionDeniedError, ServerError, TooManyRequestsError
from ..generated.models import Scan, UploadInstructions
from ._io import read, sleep

_CHUNK_BYTES = 256 * 1024


class Uploader:
    """Uploads files to the API, or to storage with a signed URL."""

    def __init__(self, api: httpx.Client, storage: httpx.Client, policy: RetryPolicy) -> None:
        self._api = api
        # A client without the API key: storage must not see it.
        self._storage = storage
        self._policy = policy

    def upload(
        self,
        refresh: Callable[[str], Scan],
        scan: Scan,
        files: Sequence[MediaFile],
        on_progress: Callable[[UploadProgress], None] | None,
        finished: set[int],
    ) -> None:
        """Uploads all files that are not `finished`. Gets new instructions before it repeats one."""
        total = sum(file.size for file in files)
        stored = sum(file.size for index, file in enumerate(files) if index in finished)
        for index, file in enumerate(files):
            if index in finished:
                continue

            def report(sent: int, before: int = stored) -> None:
                if on_progress is not None:
                    on_progress(UploadProgress(before + sent, total, len(finished), len(files)))

            retries = 0
            while True:
                try:
                    self._put(scan, index, file, report)
                    break
                except (ApiConnectionError, ServerError, TooManyRequestsError, PermissionDeniedError) as error:
                    # 403 of storage: the signed URL has expired. 403 of the API has a code.
                    refused = isinstance(error, PermissionDeniedError) and error.code != "UNEXPECTED_RESPONSE"
                    retry_after = error.retry_after if isinstance(error, ApiError) else None
                    wait = None if refused else self._policy.wait(retries, retry_after)
                    if wait is None:
                        raise
                sleep(wait)
                retries += 1
                scan = refresh(scan.id)
            finished.add(index)
            stored += file.size
            report(0, stored)

    def _put(self, scan: Scan, index: int, file: MediaFile, report: Callable[[int], None]) -> None:
        instructions = scan.upload
        if not instructions:
            raise ValueError(f"scan {scan.id} is {scan.status} and accepts no uploads")
        client, url = self._target(scan.id, instructions, index, file)
        headers = dict(instructions.headers.additional_properties)
        # Photos may differ in type; the instructions name the type of a video.
        headers = {name: value for name, value in headers.items() if name.lower() != "content-type" or file.is_video}
        if not any(name.lower() == "content-type" for name in headers):
            headers["Content-Type"] = file.content_type
        headers["Content-Length"] = str(file.size)
        client.put(url, headers=headers, content=_chunks(file, report))

    def _target(
        self, scan_id: str, instructions: UploadInstructions, index: int, file: MediaFile
    ) -> tuple[httpx.Client, str]:
        """Returns the client and the URL. The API is called at the address that this client uses."""
        if not file.is_video:
            return self._api, f"/scans/{scan_id}/frames/{index}"
        path = f"/scans/{scan_id}/video"
        url = instructions.url or path
        parts = urlsplit(url)
        if parts.path.endswith(path) and not parts.query:
            return self._api, path
        return self._storage, url


def _chunks(file: MediaFile, report: Callable[[int], None]) -> Iterator[bytes]:
    sent = 0
    report(sent)
    with file.path.open("rb") as opened:
        while chunk := read(opened, _CHUNK_BYTES):
            yield chunk
            sent += len(chunk)
            report(sent)

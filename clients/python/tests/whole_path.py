"""Runs the whole path against a running service: `tests/tests/clients` starts it.

Scans the video `SCAN_CLIP` with the blocking client and the photos in `SCAN_PHOTOS` with the
asynchronous one. Prints the ids of the scans.
"""

from __future__ import annotations

import asyncio
import os

from scan_service import AsyncScanClient, ScanClient, UploadProgress, errors

UNKNOWN = "spc_00000000000000000000000000"


def scan_video(clip: str) -> str:
    with ScanClient() as client:
        assert client.me().key.mode == "test"
        space = client.spaces.create("Flat 3", "apartment", external_id="python-video")
        for call in (lambda: client.spaces.diff(space.id), lambda: client.spaces.ask(space.id, "A kitchen?")):
            try:
                call()
                raise AssertionError("a space without a scan has no document")
            except errors.NoDocumentError as error:
                assert error.status == 409 and error.request_id
        try:
            client.spaces.get(UNKNOWN)
            raise AssertionError("an unknown space was found")
        except errors.NotFoundError as error:
            assert error.code == "NOT_FOUND"

        seen: list[UploadProgress] = []
        scan = client.scans.submit(space.id, clip, idempotency_key="python-video", on_progress=seen.append)
        assert seen[-1].fraction == 1.0 and seen[-1].finished_files == 1
        # A repetition with the same key finds the started scan.
        assert client.scans.submit(space.id, clip, idempotency_key="python-video").id == scan.id

        complete = client.scans.wait_until_complete(scan.id, timeout=300)
        assert complete.charge and complete.charge.kind == "free_scan"
        document = client.spaces.get(space.id).document
        assert document and document.frames
        assert document.frames[0].url
        assert client.download(document.frames[0].url).startswith(b"\xff\xd8\xff")
        assert client.spaces.ask(space.id, "Is there a kitchen?").status in ("answered", "partial", "abstained")
        assert client.spaces.skill(space.id).files
        assert [found.id for found in client.spaces.list(external_id="python-video", page_size=1)] == [space.id]
        assert [found.id for found in client.scans.list(space.id)] == [scan.id]
        assert client.events.get(f"evt_{scan.id}_completed").type_ == "scan.completed"
        return scan.id


async def scan_photos(folder: str) -> str:
    async with AsyncScanClient() as client:
        spaces = [await client.spaces.create(f"Room {n}", "office", external_id="python-photos") for n in range(3)]
        # Several pages.
        listed = [found.id async for found in client.spaces.list(external_id="python-photos", page_size=2)]
        assert listed == [space.id for space in reversed(spaces)]
        scan = await client.scans.submit(spaces[0].id, folder)
        await client.scans.wait_until_complete(scan.id, timeout=300)
        document = (await client.spaces.get(spaces[0].id)).document
        assert document and document.kind == "frames"
        async for event in client.events.list():
            if event.id == f"evt_{scan.id}_completed":
                return scan.id
        raise AssertionError("the scan has no event")


if __name__ == "__main__":
    print(scan_video(os.environ["SCAN_CLIP"]))
    print(asyncio.run(scan_photos(os.environ["SCAN_PHOTOS"])))

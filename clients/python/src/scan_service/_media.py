"""Media on this machine: their types, their declaration, and the progress of their upload."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .generated.models import (
    FrameInput,
    FramesScanInput,
    FramesScanInputKind,
    NewScan,
    Transcript,
    VideoInput,
    VideoScanInput,
    VideoScanInputKind,
)
from .generated.types import UNSET

PathLike = str | os.PathLike[str]
#: A video, photos in order, or a folder of photos.
Media = PathLike | Sequence[PathLike]


@dataclass(frozen=True)
class UploadProgress:
    """Progress of an upload."""

    #: Bytes that were sent. They go back when a file is sent again after a lost connection.
    sent_bytes: int
    #: Size of all files in bytes.
    total_bytes: int
    #: Number of files that were stored.
    finished_files: int
    #: Number of all files.
    total_files: int

    @property
    def fraction(self) -> float:
        """The uploaded share, 0 to 1."""
        return self.sent_bytes / self.total_bytes


@dataclass(frozen=True)
class MediaFile:
    """A file to upload."""

    path: Path
    #: Media type, detected from the first bytes.
    content_type: str
    #: Size in bytes.
    size: int

    @property
    def is_video(self) -> bool:
        return self.content_type.startswith("video/")


def find(media: Media) -> list[MediaFile]:
    """Finds the files of one video or of photos in upload order.

    Raises `ValueError` if a file has an unknown type, or if videos and photos are mixed.
    """
    if isinstance(media, (str, os.PathLike)):
        path = Path(media)
        if path.is_dir():
            # In the order of file names. Other files of the folder are ignored.
            found = [_inspect(file) for file in sorted(path.iterdir()) if file.is_file()]
            files = [file for file in found if file and not file.is_video]
        else:
            files = [_known(path)]
    else:
        files = [_known(Path(path)) for path in media]
    if not files:
        raise ValueError("no media to scan")
    if len(files) > 1 and any(file.is_video for file in files):
        raise ValueError("scan either one video or photos")
    return files


def declare(files: Sequence[MediaFile], language: str, transcript: Transcript | None) -> NewScan:
    """Builds the request that creates a scan of these files."""
    words = transcript or UNSET
    first = files[0]
    if first.is_video:
        video = VideoInput(content_type=first.content_type, content_length=first.size)
        kind = VideoScanInputKind.VIDEO
        return NewScan(input_=VideoScanInput(kind=kind, language=language, video=video, transcript=words))
    frames = [FrameInput() for _ in files]
    kind_of_photos = FramesScanInputKind.FRAMES
    return NewScan(
        input_=FramesScanInput(kind=kind_of_photos, language=language, frames=frames, transcript=words)
    )


def _known(path: Path) -> MediaFile:
    file = _inspect(path)
    if file is None:
        raise ValueError(f"{path} is neither a video (mp4, mov, webm, mkv) nor a photo (jpeg, png, webp)")
    return file


def _inspect(path: Path) -> MediaFile | None:
    with path.open("rb") as file:
        content_type = sniff(file.read(64))
        size = os.fstat(file.fileno()).st_size
    return MediaFile(path, content_type, size) if content_type else None


def sniff(head: bytes) -> str | None:
    """Returns the media type of a file that begins with these bytes, or None."""
    if head[4:8] == b"ftyp" and len(head) >= 12:
        return "video/quicktime" if head[8:12] == b"qt  " else "video/mp4"
    if head[4:8] in (b"moov", b"mdat", b"wide", b"free", b"skip"):
        return "video/quicktime"
    if head.startswith(b"\x1a\x45\xdf\xa3"):
        if b"webm" in head:
            return "video/webm"
        return "video/x-matroska" if b"matroska" in head else None
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image/webp"
    return None

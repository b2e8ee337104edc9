from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.video_scan_input_kind import VideoScanInputKind
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.transcript import Transcript
  from ..models.video_input import VideoInput





T = TypeVar("T", bound="VideoScanInput")



@_attrs_define
class VideoScanInput:
    """ A scan of one video.

        Attributes:
            kind (VideoScanInputKind): Kind of a video scan.
            language (str): BCP 47 language of the spoken or expected content, for example `en` or `pt-BR`.
            video (VideoInput): The declared video.
            transcript (None | Transcript | Unset):
     """

    kind: VideoScanInputKind
    language: str
    video: VideoInput
    transcript: None | Transcript | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.transcript import Transcript # noqa: PLC0415
        from ..models.video_input import VideoInput # noqa: PLC0415
        kind = self.kind.value

        language = self.language

        video = self.video.to_dict()

        transcript: dict[str, Any] | None | Unset
        if isinstance(self.transcript, Unset):
            transcript = UNSET
        elif isinstance(self.transcript, Transcript):
            transcript = self.transcript.to_dict()
        else:
            transcript = self.transcript


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "kind": kind,
            "language": language,
            "video": video,
        })
        if transcript is not UNSET:
            field_dict["transcript"] = transcript

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.transcript import Transcript # noqa: PLC0415
        from ..models.video_input import VideoInput # noqa: PLC0415
        d = dict(src_dict)
        kind = VideoScanInputKind(d.pop("kind"))




        language = d.pop("language")

        video = VideoInput.from_dict(d.pop("video"))




        def _parse_transcript(data: object) -> None | Transcript | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                transcript_type_0 = Transcript.from_dict(data)



                return transcript_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Transcript | Unset, data)

        transcript = _parse_transcript(d.pop("transcript", UNSET))


        video_scan_input = cls(
            kind=kind,
            language=language,
            video=video,
            transcript=transcript,
        )

        return video_scan_input


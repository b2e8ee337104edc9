from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.frames_scan_input_kind import FramesScanInputKind
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.frame_input import FrameInput
  from ..models.transcript import Transcript





T = TypeVar("T", bound="FramesScanInput")



@_attrs_define
class FramesScanInput:
    """ A scan of ordered photos.

        Attributes:
            kind (FramesScanInputKind): Kind of a photo scan.
            language (str): BCP 47 language of the expected content, for example `en` or `pt-BR`.
            frames (list[FrameInput]): The photos, in order.
            transcript (None | Transcript | Unset):
     """

    kind: FramesScanInputKind
    language: str
    frames: list[FrameInput]
    transcript: None | Transcript | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.frame_input import FrameInput # noqa: PLC0415
        from ..models.transcript import Transcript # noqa: PLC0415
        kind = self.kind.value

        language = self.language

        frames = []
        for frames_item_data in self.frames:
            frames_item = frames_item_data.to_dict()
            frames.append(frames_item)



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
            "frames": frames,
        })
        if transcript is not UNSET:
            field_dict["transcript"] = transcript

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.frame_input import FrameInput # noqa: PLC0415
        from ..models.transcript import Transcript # noqa: PLC0415
        d = dict(src_dict)
        kind = FramesScanInputKind(d.pop("kind"))




        language = d.pop("language")

        frames = []
        _frames = d.pop("frames")
        for frames_item_data in (_frames):
            frames_item = FrameInput.from_dict(frames_item_data)



            frames.append(frames_item)


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


        frames_scan_input = cls(
            kind=kind,
            language=language,
            frames=frames,
            transcript=transcript,
        )

        return frames_scan_input


from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.transcript_segment import TranscriptSegment





T = TypeVar("T", bound="Transcript")



@_attrs_define
class Transcript:
    """ Transcript of the media, with times.

        Attributes:
            text (str): The whole text, at most 200 000 characters.
            segments (list[TranscriptSegment] | Unset): Timed segments, in order.
     """

    text: str
    segments: list[TranscriptSegment] | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.transcript_segment import TranscriptSegment # noqa: PLC0415
        text = self.text

        segments: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.segments, Unset):
            segments = []
            for segments_item_data in self.segments:
                segments_item = segments_item_data.to_dict()
                segments.append(segments_item)




        field_dict: dict[str, Any] = {}

        field_dict.update({
            "text": text,
        })
        if segments is not UNSET:
            field_dict["segments"] = segments

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.transcript_segment import TranscriptSegment # noqa: PLC0415
        d = dict(src_dict)
        text = d.pop("text")

        _segments = d.pop("segments", UNSET)
        segments: list[TranscriptSegment] | Unset = UNSET
        if _segments is not UNSET:
            segments = []
            for segments_item_data in _segments:
                segments_item = TranscriptSegment.from_dict(segments_item_data)



                segments.append(segments_item)


        transcript = cls(
            text=text,
            segments=segments,
        )

        return transcript


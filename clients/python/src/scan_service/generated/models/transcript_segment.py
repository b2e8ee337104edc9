from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="TranscriptSegment")



@_attrs_define
class TranscriptSegment:
    """ One timed segment of a transcript.

        Attributes:
            start_ms (int): Start, in milliseconds from the beginning of the media.
            end_ms (int): End, in milliseconds; not before the start.
            text (str): The text, at most 2000 characters.
     """

    start_ms: int
    end_ms: int
    text: str





    def to_dict(self) -> dict[str, Any]:
        start_ms = self.start_ms

        end_ms = self.end_ms

        text = self.text


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "start_ms": start_ms,
            "end_ms": end_ms,
            "text": text,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        start_ms = d.pop("start_ms")

        end_ms = d.pop("end_ms")

        text = d.pop("text")

        transcript_segment = cls(
            start_ms=start_ms,
            end_ms=end_ms,
            text=text,
        )

        return transcript_segment


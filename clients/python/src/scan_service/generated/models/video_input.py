from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="VideoInput")



@_attrs_define
class VideoInput:
    """ The declared video.

        Attributes:
            content_type (str): Media type, one of `video/mp4`, `video/quicktime`, `video/webm`, `video/x-matroska`.
            content_length (int): Exact size in bytes, at most 5 GiB.
     """

    content_type: str
    content_length: int





    def to_dict(self) -> dict[str, Any]:
        content_type = self.content_type

        content_length = self.content_length


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "content_type": content_type,
            "content_length": content_length,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        content_type = d.pop("content_type")

        content_length = d.pop("content_length")

        video_input = cls(
            content_type=content_type,
            content_length=content_length,
        )

        return video_input


from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="FrameInput")



@_attrs_define
class FrameInput:
    """ One declared photo.

        Attributes:
            timestamp_ms (int | None | Unset): Time since the first photo in milliseconds, if known.
     """

    timestamp_ms: int | None | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        timestamp_ms: int | None | Unset
        if isinstance(self.timestamp_ms, Unset):
            timestamp_ms = UNSET
        else:
            timestamp_ms = self.timestamp_ms


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if timestamp_ms is not UNSET:
            field_dict["timestamp_ms"] = timestamp_ms

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        def _parse_timestamp_ms(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        timestamp_ms = _parse_timestamp_ms(d.pop("timestamp_ms", UNSET))


        frame_input = cls(
            timestamp_ms=timestamp_ms,
        )

        return frame_input


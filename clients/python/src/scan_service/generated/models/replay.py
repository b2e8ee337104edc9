from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast






T = TypeVar("T", bound="Replay")



@_attrs_define
class Replay:
    """ Events to replay.

        Attributes:
            event_ids (list[str]):
     """

    event_ids: list[str]





    def to_dict(self) -> dict[str, Any]:
        event_ids = self.event_ids




        field_dict: dict[str, Any] = {}

        field_dict.update({
            "event_ids": event_ids,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        event_ids = cast(list[str], d.pop("event_ids"))


        replay = cls(
            event_ids=event_ids,
        )

        return replay


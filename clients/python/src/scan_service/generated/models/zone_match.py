from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="ZoneMatch")



@_attrs_define
class ZoneMatch:
    """ Zones of the two scans that are one place.

        Attributes:
            from_zone_id (str): Zone of the earlier scan.
            to_zone_id (str): Zone of the later scan.
            score (float): Score of the match, 0 to 1.
     """

    from_zone_id: str
    to_zone_id: str
    score: float
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from_zone_id = self.from_zone_id

        to_zone_id = self.to_zone_id

        score = self.score


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "from_zone_id": from_zone_id,
            "to_zone_id": to_zone_id,
            "score": score,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        from_zone_id = d.pop("from_zone_id")

        to_zone_id = d.pop("to_zone_id")

        score = d.pop("score")

        zone_match = cls(
            from_zone_id=from_zone_id,
            to_zone_id=to_zone_id,
            score=score,
        )


        zone_match.additional_properties = d
        return zone_match

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties

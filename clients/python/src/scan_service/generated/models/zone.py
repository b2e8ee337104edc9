from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.attribute import Attribute
  from ..models.claim import Claim
  from ..models.interval import Interval





T = TypeVar("T", bound="Zone")



@_attrs_define
class Zone:
    """ An area of the space, usually a room.

        Attributes:
            id (str): `zon_<number in order of the first visit>`.
            label (str): Display name: the claimed room types, or `Zone 2`.
            types (list[Claim]): Claimed room types; empty if unknown.
            intervals (list[Interval]): Visits. Several intervals mean that the zone was visited again.
            best_frame_id (str): The frame that shows it best.
            frame_ids (list[str]): Its frames, in order.
            attributes (list[Attribute]): Light, colours and other attributes.
            coverage (float): Share of its time that usable frames cover, 0 to 1.
     """

    id: str
    label: str
    types: list[Claim]
    intervals: list[Interval]
    best_frame_id: str
    frame_ids: list[str]
    attributes: list[Attribute]
    coverage: float
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.attribute import Attribute # noqa: PLC0415
        from ..models.claim import Claim # noqa: PLC0415
        from ..models.interval import Interval # noqa: PLC0415
        id = self.id

        label = self.label

        types = []
        for types_item_data in self.types:
            types_item = types_item_data.to_dict()
            types.append(types_item)



        intervals = []
        for intervals_item_data in self.intervals:
            intervals_item = intervals_item_data.to_dict()
            intervals.append(intervals_item)



        best_frame_id = self.best_frame_id

        frame_ids = self.frame_ids



        attributes = []
        for attributes_item_data in self.attributes:
            attributes_item = attributes_item_data.to_dict()
            attributes.append(attributes_item)



        coverage = self.coverage


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "label": label,
            "types": types,
            "intervals": intervals,
            "best_frame_id": best_frame_id,
            "frame_ids": frame_ids,
            "attributes": attributes,
            "coverage": coverage,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.attribute import Attribute # noqa: PLC0415
        from ..models.claim import Claim # noqa: PLC0415
        from ..models.interval import Interval # noqa: PLC0415
        d = dict(src_dict)
        id = d.pop("id")

        label = d.pop("label")

        types = []
        _types = d.pop("types")
        for types_item_data in (_types):
            types_item = Claim.from_dict(types_item_data)



            types.append(types_item)


        intervals = []
        _intervals = d.pop("intervals")
        for intervals_item_data in (_intervals):
            intervals_item = Interval.from_dict(intervals_item_data)



            intervals.append(intervals_item)


        best_frame_id = d.pop("best_frame_id")

        frame_ids = cast(list[str], d.pop("frame_ids"))


        attributes = []
        _attributes = d.pop("attributes")
        for attributes_item_data in (_attributes):
            attributes_item = Attribute.from_dict(attributes_item_data)



            attributes.append(attributes_item)


        coverage = d.pop("coverage")

        zone = cls(
            id=id,
            label=label,
            types=types,
            intervals=intervals,
            best_frame_id=best_frame_id,
            frame_ids=frame_ids,
            attributes=attributes,
            coverage=coverage,
        )


        zone.additional_properties = d
        return zone

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

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.claim import Claim
  from ..models.count import Count
  from ..models.evidence import Evidence





T = TypeVar("T", bound="SpaceObject")



@_attrs_define
class SpaceObject:
    """ An object, or several objects of one category, in a zone.

        Attributes:
            id (str): `obj_<number>`.
            category (Claim): One statement about the space.
            count (Count): Number of objects.
            sightings (list[Evidence]): Frames and boxes that show it.
            zone_id (None | str | Unset): The zone it is in, an id of `zones[]`.
            condition (Claim | None | Unset):
     """

    id: str
    category: Claim
    count: Count
    sightings: list[Evidence]
    zone_id: None | str | Unset = UNSET
    condition: Claim | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.claim import Claim # noqa: PLC0415
        from ..models.count import Count # noqa: PLC0415
        from ..models.evidence import Evidence # noqa: PLC0415
        id = self.id

        category = self.category.to_dict()

        count = self.count.to_dict()

        sightings = []
        for sightings_item_data in self.sightings:
            sightings_item = sightings_item_data.to_dict()
            sightings.append(sightings_item)



        zone_id: None | str | Unset
        if isinstance(self.zone_id, Unset):
            zone_id = UNSET
        else:
            zone_id = self.zone_id

        condition: dict[str, Any] | None | Unset
        if isinstance(self.condition, Unset):
            condition = UNSET
        elif isinstance(self.condition, Claim):
            condition = self.condition.to_dict()
        else:
            condition = self.condition


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "category": category,
            "count": count,
            "sightings": sightings,
        })
        if zone_id is not UNSET:
            field_dict["zone_id"] = zone_id
        if condition is not UNSET:
            field_dict["condition"] = condition

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.claim import Claim # noqa: PLC0415
        from ..models.count import Count # noqa: PLC0415
        from ..models.evidence import Evidence # noqa: PLC0415
        d = dict(src_dict)
        id = d.pop("id")

        category = Claim.from_dict(d.pop("category"))




        count = Count.from_dict(d.pop("count"))




        sightings = []
        _sightings = d.pop("sightings")
        for sightings_item_data in (_sightings):
            sightings_item = Evidence.from_dict(sightings_item_data)



            sightings.append(sightings_item)


        def _parse_zone_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        zone_id = _parse_zone_id(d.pop("zone_id", UNSET))


        def _parse_condition(data: object) -> Claim | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                condition_type_0 = Claim.from_dict(data)



                return condition_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Claim | None | Unset, data)

        condition = _parse_condition(d.pop("condition", UNSET))


        space_object = cls(
            id=id,
            category=category,
            count=count,
            sightings=sightings,
            zone_id=zone_id,
            condition=condition,
        )


        space_object.additional_properties = d
        return space_object

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

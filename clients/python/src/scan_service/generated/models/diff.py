from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.compared_by import ComparedBy
from typing import cast

if TYPE_CHECKING:
  from ..models.change import Change
  from ..models.compared import Compared
  from ..models.zone_match import ZoneMatch





T = TypeVar("T", bound="Diff")



@_attrs_define
class Diff:
    """ Differences between two scans of a space.

        Attributes:
            object_ (str): Always `diff`.
            space_id (str):
            from_ (Compared): One of the compared scans.
            to (Compared): One of the compared scans.
            compared_by (ComparedBy): What tells whether both scans saw a place.
            zones (list[ZoneMatch]): Zones that are the same place in both scans.
            changes (list[Change]): The differences by subject; empty if nothing changed that both scans observed.
     """

    object_: str
    space_id: str
    from_: Compared
    to: Compared
    compared_by: ComparedBy
    zones: list[ZoneMatch]
    changes: list[Change]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.change import Change # noqa: PLC0415
        from ..models.compared import Compared # noqa: PLC0415
        from ..models.zone_match import ZoneMatch # noqa: PLC0415
        object_ = self.object_

        space_id = self.space_id

        from_ = self.from_.to_dict()

        to = self.to.to_dict()

        compared_by = self.compared_by.value

        zones = []
        for zones_item_data in self.zones:
            zones_item = zones_item_data.to_dict()
            zones.append(zones_item)



        changes = []
        for changes_item_data in self.changes:
            changes_item = changes_item_data.to_dict()
            changes.append(changes_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "object": object_,
            "space_id": space_id,
            "from": from_,
            "to": to,
            "compared_by": compared_by,
            "zones": zones,
            "changes": changes,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.change import Change # noqa: PLC0415
        from ..models.compared import Compared # noqa: PLC0415
        from ..models.zone_match import ZoneMatch # noqa: PLC0415
        d = dict(src_dict)
        object_ = d.pop("object")

        space_id = d.pop("space_id")

        from_ = Compared.from_dict(d.pop("from"))




        to = Compared.from_dict(d.pop("to"))




        compared_by = ComparedBy(d.pop("compared_by"))




        zones = []
        _zones = d.pop("zones")
        for zones_item_data in (_zones):
            zones_item = ZoneMatch.from_dict(zones_item_data)



            zones.append(zones_item)


        changes = []
        _changes = d.pop("changes")
        for changes_item_data in (_changes):
            changes_item = Change.from_dict(changes_item_data)



            changes.append(changes_item)


        diff = cls(
            object_=object_,
            space_id=space_id,
            from_=from_,
            to=to,
            compared_by=compared_by,
            zones=zones,
            changes=changes,
        )


        diff.additional_properties = d
        return diff

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

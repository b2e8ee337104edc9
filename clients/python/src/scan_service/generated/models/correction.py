from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.corrected_field import CorrectedField
from ..types import UNSET, Unset
from typing import cast
import datetime






T = TypeVar("T", bound="Correction")



@_attrs_define
class Correction:
    """ A correction of a document by its owner.

        Attributes:
            object_ (str): Always `correction`.
            id (str):
            scan_id (str):
            target_id (str): The zone, text or object in that document.
            field (CorrectedField): The corrected field.
            created_at (datetime.datetime):
            value (None | str | Unset): The right value; null for something that is not there.
            carried_from (None | str | Unset):
     """

    object_: str
    id: str
    scan_id: str
    target_id: str
    field: CorrectedField
    created_at: datetime.datetime
    value: None | str | Unset = UNSET
    carried_from: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        object_ = self.object_

        id = self.id

        scan_id = self.scan_id

        target_id = self.target_id

        field = self.field.value

        created_at = self.created_at.isoformat()

        value: None | str | Unset
        if isinstance(self.value, Unset):
            value = UNSET
        else:
            value = self.value

        carried_from: None | str | Unset
        if isinstance(self.carried_from, Unset):
            carried_from = UNSET
        else:
            carried_from = self.carried_from


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "object": object_,
            "id": id,
            "scan_id": scan_id,
            "target_id": target_id,
            "field": field,
            "created_at": created_at,
        })
        if value is not UNSET:
            field_dict["value"] = value
        if carried_from is not UNSET:
            field_dict["carried_from"] = carried_from

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        object_ = d.pop("object")

        id = d.pop("id")

        scan_id = d.pop("scan_id")

        target_id = d.pop("target_id")

        field = CorrectedField(d.pop("field"))




        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))




        def _parse_value(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        value = _parse_value(d.pop("value", UNSET))


        def _parse_carried_from(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        carried_from = _parse_carried_from(d.pop("carried_from", UNSET))


        correction = cls(
            object_=object_,
            id=id,
            scan_id=scan_id,
            target_id=target_id,
            field=field,
            created_at=created_at,
            value=value,
            carried_from=carried_from,
        )


        correction.additional_properties = d
        return correction

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

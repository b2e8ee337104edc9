from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.corrected_field import CorrectedField
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="NewCorrection")



@_attrs_define
class NewCorrection:
    """ A correction to be made.

        Attributes:
            target_id (str): The zone, text or object, an id of the document.
            field (CorrectedField): The corrected field.
            value (None | str | Unset): The right value: 1 to 200 characters of one line. Omitted for `presence`.
     """

    target_id: str
    field: CorrectedField
    value: None | str | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        target_id = self.target_id

        field = self.field.value

        value: None | str | Unset
        if isinstance(self.value, Unset):
            value = UNSET
        else:
            value = self.value


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "target_id": target_id,
            "field": field,
        })
        if value is not UNSET:
            field_dict["value"] = value

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        target_id = d.pop("target_id")

        field = CorrectedField(d.pop("field"))




        def _parse_value(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        value = _parse_value(d.pop("value", UNSET))


        new_correction = cls(
            target_id=target_id,
            field=field,
            value=value,
        )

        return new_correction


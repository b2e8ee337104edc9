from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.corrected_field import CorrectedField
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.claim import Claim





T = TypeVar("T", bound="AppliedCorrection")



@_attrs_define
class AppliedCorrection:
    """ A correction that a document contains.

        Attributes:
            id (str):
            target_id (str): The zone, text or object. One that is denied is no longer listed.
            field (CorrectedField): The corrected field.
            claim (Claim): One statement about the space.
            found (None | str | Unset): What the scan found; absent if it found nothing.
     """

    id: str
    target_id: str
    field: CorrectedField
    claim: Claim
    found: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.claim import Claim # noqa: PLC0415
        id = self.id

        target_id = self.target_id

        field = self.field.value

        claim = self.claim.to_dict()

        found: None | str | Unset
        if isinstance(self.found, Unset):
            found = UNSET
        else:
            found = self.found


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "target_id": target_id,
            "field": field,
            "claim": claim,
        })
        if found is not UNSET:
            field_dict["found"] = found

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.claim import Claim # noqa: PLC0415
        d = dict(src_dict)
        id = d.pop("id")

        target_id = d.pop("target_id")

        field = CorrectedField(d.pop("field"))




        claim = Claim.from_dict(d.pop("claim"))




        def _parse_found(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        found = _parse_found(d.pop("found", UNSET))


        applied_correction = cls(
            id=id,
            target_id=target_id,
            field=field,
            claim=claim,
            found=found,
        )


        applied_correction.additional_properties = d
        return applied_correction

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

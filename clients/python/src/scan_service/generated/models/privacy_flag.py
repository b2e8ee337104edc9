from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.claim import Claim





T = TypeVar("T", bound="PrivacyFlag")



@_attrs_define
class PrivacyFlag:
    """ A reason to handle frames or texts with care.

        Attributes:
            id (str): `prv_<number>`.
            kind (str): `person` or `credential`.
            claim (Claim): One statement about the space.
     """

    id: str
    kind: str
    claim: Claim
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.claim import Claim # noqa: PLC0415
        id = self.id

        kind = self.kind

        claim = self.claim.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "kind": kind,
            "claim": claim,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.claim import Claim # noqa: PLC0415
        d = dict(src_dict)
        id = d.pop("id")

        kind = d.pop("kind")

        claim = Claim.from_dict(d.pop("claim"))




        privacy_flag = cls(
            id=id,
            kind=kind,
            claim=claim,
        )


        privacy_flag.additional_properties = d
        return privacy_flag

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

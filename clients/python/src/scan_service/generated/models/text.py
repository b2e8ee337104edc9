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





T = TypeVar("T", bound="Text")



@_attrs_define
class Text:
    """ Text in the picture.

        Attributes:
            id (str): `txt_<number>`.
            raw (str): The text as it was read, equal to `claim.value`.
            normalized (str): The text for comparisons: lower case, whitespace folded, look-alike characters unified.
            kind (str): `sign`, `number`, `contact`, `warning`, `credential` or `other`.
            claim (Claim): One statement about the space.
            zone_id (None | str | Unset): The zone it was seen in, an id of `zones[]`.
     """

    id: str
    raw: str
    normalized: str
    kind: str
    claim: Claim
    zone_id: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.claim import Claim # noqa: PLC0415
        id = self.id

        raw = self.raw

        normalized = self.normalized

        kind = self.kind

        claim = self.claim.to_dict()

        zone_id: None | str | Unset
        if isinstance(self.zone_id, Unset):
            zone_id = UNSET
        else:
            zone_id = self.zone_id


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "raw": raw,
            "normalized": normalized,
            "kind": kind,
            "claim": claim,
        })
        if zone_id is not UNSET:
            field_dict["zone_id"] = zone_id

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.claim import Claim # noqa: PLC0415
        d = dict(src_dict)
        id = d.pop("id")

        raw = d.pop("raw")

        normalized = d.pop("normalized")

        kind = d.pop("kind")

        claim = Claim.from_dict(d.pop("claim"))




        def _parse_zone_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        zone_id = _parse_zone_id(d.pop("zone_id", UNSET))


        text = cls(
            id=id,
            raw=raw,
            normalized=normalized,
            kind=kind,
            claim=claim,
            zone_id=zone_id,
        )


        text.additional_properties = d
        return text

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

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.basis import Basis
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.count import Count
  from ..models.shown_evidence import ShownEvidence





T = TypeVar("T", bound="Side")



@_attrs_define
class Side:
    """ State of the subject in one scan.

        Attributes:
            id (str): Id of the zone, text, object, measurement or run in the document.
            value (str): Its value.
            confidence (float): Confidence, 0 to 1.
            evidence (list[ShownEvidence]): Evidence; empty for runs of models.
            zone_id (None | str | Unset): Zone that it is in.
            zone (None | str | Unset): Name of the zone.
            count (Count | None | Unset):
            basis (Basis | None | Unset):
     """

    id: str
    value: str
    confidence: float
    evidence: list[ShownEvidence]
    zone_id: None | str | Unset = UNSET
    zone: None | str | Unset = UNSET
    count: Count | None | Unset = UNSET
    basis: Basis | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.count import Count # noqa: PLC0415
        from ..models.shown_evidence import ShownEvidence # noqa: PLC0415
        id = self.id

        value = self.value

        confidence = self.confidence

        evidence = []
        for evidence_item_data in self.evidence:
            evidence_item = evidence_item_data.to_dict()
            evidence.append(evidence_item)



        zone_id: None | str | Unset
        if isinstance(self.zone_id, Unset):
            zone_id = UNSET
        else:
            zone_id = self.zone_id

        zone: None | str | Unset
        if isinstance(self.zone, Unset):
            zone = UNSET
        else:
            zone = self.zone

        count: dict[str, Any] | None | Unset
        if isinstance(self.count, Unset):
            count = UNSET
        elif isinstance(self.count, Count):
            count = self.count.to_dict()
        else:
            count = self.count

        basis: None | str | Unset
        if isinstance(self.basis, Unset):
            basis = UNSET
        elif isinstance(self.basis, Basis):
            basis = self.basis.value
        else:
            basis = self.basis


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "value": value,
            "confidence": confidence,
            "evidence": evidence,
        })
        if zone_id is not UNSET:
            field_dict["zone_id"] = zone_id
        if zone is not UNSET:
            field_dict["zone"] = zone
        if count is not UNSET:
            field_dict["count"] = count
        if basis is not UNSET:
            field_dict["basis"] = basis

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.count import Count # noqa: PLC0415
        from ..models.shown_evidence import ShownEvidence # noqa: PLC0415
        d = dict(src_dict)
        id = d.pop("id")

        value = d.pop("value")

        confidence = d.pop("confidence")

        evidence = []
        _evidence = d.pop("evidence")
        for evidence_item_data in (_evidence):
            evidence_item = ShownEvidence.from_dict(evidence_item_data)



            evidence.append(evidence_item)


        def _parse_zone_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        zone_id = _parse_zone_id(d.pop("zone_id", UNSET))


        def _parse_zone(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        zone = _parse_zone(d.pop("zone", UNSET))


        def _parse_count(data: object) -> Count | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                count_type_0 = Count.from_dict(data)



                return count_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Count | None | Unset, data)

        count = _parse_count(d.pop("count", UNSET))


        def _parse_basis(data: object) -> Basis | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                basis_type_0 = Basis(data)



                return basis_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Basis | None | Unset, data)

        basis = _parse_basis(d.pop("basis", UNSET))


        side = cls(
            id=id,
            value=value,
            confidence=confidence,
            evidence=evidence,
            zone_id=zone_id,
            zone=zone,
            count=count,
            basis=basis,
        )


        side.additional_properties = d
        return side

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

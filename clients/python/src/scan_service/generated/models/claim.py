from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.basis import Basis
from typing import cast

if TYPE_CHECKING:
  from ..models.evidence import Evidence





T = TypeVar("T", bound="Claim")



@_attrs_define
class Claim:
    """ One statement about the space.

        Attributes:
            id (str): Id within the document, prefix `clm_`.
            value (str): The claimed value.
            confidence (float): Confidence, 0 to 1.
            basis (Basis): How a claim is known.
            evidence (list[Evidence]): Places where it can be checked; never empty.
            run_id (str): The run that made the claim, an id of `runs[]`.
     """

    id: str
    value: str
    confidence: float
    basis: Basis
    evidence: list[Evidence]
    run_id: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.evidence import Evidence # noqa: PLC0415
        id = self.id

        value = self.value

        confidence = self.confidence

        basis = self.basis.value

        evidence = []
        for evidence_item_data in self.evidence:
            evidence_item = evidence_item_data.to_dict()
            evidence.append(evidence_item)



        run_id = self.run_id


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "value": value,
            "confidence": confidence,
            "basis": basis,
            "evidence": evidence,
            "run_id": run_id,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.evidence import Evidence # noqa: PLC0415
        d = dict(src_dict)
        id = d.pop("id")

        value = d.pop("value")

        confidence = d.pop("confidence")

        basis = Basis(d.pop("basis"))




        evidence = []
        _evidence = d.pop("evidence")
        for evidence_item_data in (_evidence):
            evidence_item = Evidence.from_dict(evidence_item_data)



            evidence.append(evidence_item)


        run_id = d.pop("run_id")

        claim = cls(
            id=id,
            value=value,
            confidence=confidence,
            basis=basis,
            evidence=evidence,
            run_id=run_id,
        )


        claim.additional_properties = d
        return claim

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

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.basis import Basis
from typing import cast

if TYPE_CHECKING:
  from ..models.shown_evidence import ShownEvidence





T = TypeVar("T", bound="Citation")



@_attrs_define
class Citation:
    """ A cited claim with its evidence.

        Attributes:
            claim_id (str): Id of the claim or of the narration.
            value (str): Value of the claim.
            basis (Basis): How a claim is known.
            confidence (float): Confidence of the claim, 0 to 1.
            evidence (list[ShownEvidence]): Evidence of the claim; never empty.
     """

    claim_id: str
    value: str
    basis: Basis
    confidence: float
    evidence: list[ShownEvidence]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.shown_evidence import ShownEvidence # noqa: PLC0415
        claim_id = self.claim_id

        value = self.value

        basis = self.basis.value

        confidence = self.confidence

        evidence = []
        for evidence_item_data in self.evidence:
            evidence_item = evidence_item_data.to_dict()
            evidence.append(evidence_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "claim_id": claim_id,
            "value": value,
            "basis": basis,
            "confidence": confidence,
            "evidence": evidence,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.shown_evidence import ShownEvidence # noqa: PLC0415
        d = dict(src_dict)
        claim_id = d.pop("claim_id")

        value = d.pop("value")

        basis = Basis(d.pop("basis"))




        confidence = d.pop("confidence")

        evidence = []
        _evidence = d.pop("evidence")
        for evidence_item_data in (_evidence):
            evidence_item = ShownEvidence.from_dict(evidence_item_data)



            evidence.append(evidence_item)


        citation = cls(
            claim_id=claim_id,
            value=value,
            basis=basis,
            confidence=confidence,
            evidence=evidence,
        )


        citation.additional_properties = d
        return citation

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

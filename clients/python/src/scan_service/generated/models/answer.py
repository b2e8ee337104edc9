from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.reason import Reason
from ..models.status import Status
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.citation import Citation





T = TypeVar("T", bound="Answer")



@_attrs_define
class Answer:
    """ An answer, or the reason why there is none.

        Attributes:
            object_ (str): Always `answer`.
            scan_id (str):
            status (Status): Whether the question was answered.
            confidence (float): Lowest confidence of the cited claims, 0 to 1; 0 if abstained.
            citations (list[Citation]): The claims that support the answer; for a conflict, the contradicting claims.
            missing (list[str]): The parts of the question without an answer, in its words. Empty for a question of one
                part.
            closest (list[Citation]): Up to three claims that come closest to the parts without an answer, the closest
                first. They
                are no answer.
            answer (None | str | Unset): The answer in words; null if abstained.
            worded_by (None | str | Unset): The model that worded the answer, if one is configured; null otherwise.
            translated_by (None | str | Unset): The model that translated the question, if the answer is to its translation;
                null otherwise.
            reason (None | Reason | Unset):
     """

    object_: str
    scan_id: str
    status: Status
    confidence: float
    citations: list[Citation]
    missing: list[str]
    closest: list[Citation]
    answer: None | str | Unset = UNSET
    worded_by: None | str | Unset = UNSET
    translated_by: None | str | Unset = UNSET
    reason: None | Reason | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.citation import Citation # noqa: PLC0415
        object_ = self.object_

        scan_id = self.scan_id

        status = self.status.value

        confidence = self.confidence

        citations = []
        for citations_item_data in self.citations:
            citations_item = citations_item_data.to_dict()
            citations.append(citations_item)



        missing = self.missing



        closest = []
        for closest_item_data in self.closest:
            closest_item = closest_item_data.to_dict()
            closest.append(closest_item)



        answer: None | str | Unset
        if isinstance(self.answer, Unset):
            answer = UNSET
        else:
            answer = self.answer

        worded_by: None | str | Unset
        if isinstance(self.worded_by, Unset):
            worded_by = UNSET
        else:
            worded_by = self.worded_by

        translated_by: None | str | Unset
        if isinstance(self.translated_by, Unset):
            translated_by = UNSET
        else:
            translated_by = self.translated_by

        reason: None | str | Unset
        if isinstance(self.reason, Unset):
            reason = UNSET
        elif isinstance(self.reason, Reason):
            reason = self.reason.value
        else:
            reason = self.reason


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "object": object_,
            "scan_id": scan_id,
            "status": status,
            "confidence": confidence,
            "citations": citations,
            "missing": missing,
            "closest": closest,
        })
        if answer is not UNSET:
            field_dict["answer"] = answer
        if worded_by is not UNSET:
            field_dict["worded_by"] = worded_by
        if translated_by is not UNSET:
            field_dict["translated_by"] = translated_by
        if reason is not UNSET:
            field_dict["reason"] = reason

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.citation import Citation # noqa: PLC0415
        d = dict(src_dict)
        object_ = d.pop("object")

        scan_id = d.pop("scan_id")

        status = Status(d.pop("status"))




        confidence = d.pop("confidence")

        citations = []
        _citations = d.pop("citations")
        for citations_item_data in (_citations):
            citations_item = Citation.from_dict(citations_item_data)



            citations.append(citations_item)


        missing = cast(list[str], d.pop("missing"))


        closest = []
        _closest = d.pop("closest")
        for closest_item_data in (_closest):
            closest_item = Citation.from_dict(closest_item_data)



            closest.append(closest_item)


        def _parse_answer(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        answer = _parse_answer(d.pop("answer", UNSET))


        def _parse_worded_by(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        worded_by = _parse_worded_by(d.pop("worded_by", UNSET))


        def _parse_translated_by(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        translated_by = _parse_translated_by(d.pop("translated_by", UNSET))


        def _parse_reason(data: object) -> None | Reason | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                reason_type_0 = Reason(data)



                return reason_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Reason | Unset, data)

        reason = _parse_reason(d.pop("reason", UNSET))


        answer = cls(
            object_=object_,
            scan_id=scan_id,
            status=status,
            confidence=confidence,
            citations=citations,
            missing=missing,
            closest=closest,
            answer=answer,
            worded_by=worded_by,
            translated_by=translated_by,
            reason=reason,
        )


        answer.additional_properties = d
        return answer

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

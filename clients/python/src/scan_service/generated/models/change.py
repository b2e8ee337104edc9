from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.because import Because
from ..models.change_kind import ChangeKind
from ..models.subject import Subject
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.side import Side





T = TypeVar("T", bound="Change")



@_attrs_define
class Change:
    """ One difference.

        Attributes:
            kind (ChangeKind): Kind of a change between two scans.
            subject (Subject): Subject of a change.
            name (str): Name of the subject: a category, a text, a zone or an attribute.
            confidence (float): Lowest confidence of the two claims and of the match of their zones, 0 to 1.
            before (None | Side | Unset):
            after (None | Side | Unset):
            reason (Because | None | Unset):
     """

    kind: ChangeKind
    subject: Subject
    name: str
    confidence: float
    before: None | Side | Unset = UNSET
    after: None | Side | Unset = UNSET
    reason: Because | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.side import Side # noqa: PLC0415
        kind = self.kind.value

        subject = self.subject.value

        name = self.name

        confidence = self.confidence

        before: dict[str, Any] | None | Unset
        if isinstance(self.before, Unset):
            before = UNSET
        elif isinstance(self.before, Side):
            before = self.before.to_dict()
        else:
            before = self.before

        after: dict[str, Any] | None | Unset
        if isinstance(self.after, Unset):
            after = UNSET
        elif isinstance(self.after, Side):
            after = self.after.to_dict()
        else:
            after = self.after

        reason: None | str | Unset
        if isinstance(self.reason, Unset):
            reason = UNSET
        elif isinstance(self.reason, Because):
            reason = self.reason.value
        else:
            reason = self.reason


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "kind": kind,
            "subject": subject,
            "name": name,
            "confidence": confidence,
        })
        if before is not UNSET:
            field_dict["before"] = before
        if after is not UNSET:
            field_dict["after"] = after
        if reason is not UNSET:
            field_dict["reason"] = reason

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.side import Side # noqa: PLC0415
        d = dict(src_dict)
        kind = ChangeKind(d.pop("kind"))




        subject = Subject(d.pop("subject"))




        name = d.pop("name")

        confidence = d.pop("confidence")

        def _parse_before(data: object) -> None | Side | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                before_type_0 = Side.from_dict(data)



                return before_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Side | Unset, data)

        before = _parse_before(d.pop("before", UNSET))


        def _parse_after(data: object) -> None | Side | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                after_type_0 = Side.from_dict(data)



                return after_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Side | Unset, data)

        after = _parse_after(d.pop("after", UNSET))


        def _parse_reason(data: object) -> Because | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                reason_type_0 = Because(data)



                return reason_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Because | None | Unset, data)

        reason = _parse_reason(d.pop("reason", UNSET))


        change = cls(
            kind=kind,
            subject=subject,
            name=name,
            confidence=confidence,
            before=before,
            after=after,
            reason=reason,
        )


        change.additional_properties = d
        return change

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

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="Question")



@_attrs_define
class Question:
    """ A question about a space.

        Attributes:
            question (str): 1 to 500 characters, in English; in any language where a model for questions is configured.
            scan_id (None | str | Unset):
     """

    question: str
    scan_id: None | str | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        question = self.question

        scan_id: None | str | Unset
        if isinstance(self.scan_id, Unset):
            scan_id = UNSET
        else:
            scan_id = self.scan_id


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "question": question,
        })
        if scan_id is not UNSET:
            field_dict["scan_id"] = scan_id

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        question = d.pop("question")

        def _parse_scan_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        scan_id = _parse_scan_id(d.pop("scan_id", UNSET))


        question = cls(
            question=question,
            scan_id=scan_id,
        )

        return question


from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="BoardCell")



@_attrs_define
class BoardCell:
    """ One cell of a board.

        Attributes:
            text_id (str): The text in the cell, an id of `texts[]`.
            text (str): The text as it was read.
            column (int): Column of the cell, counted from 0 at the left. Cells of different rows with one column stand
                below each other.
     """

    text_id: str
    text: str
    column: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        text_id = self.text_id

        text = self.text

        column = self.column


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "text_id": text_id,
            "text": text,
            "column": column,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        text_id = d.pop("text_id")

        text = d.pop("text")

        column = d.pop("column")

        board_cell = cls(
            text_id=text_id,
            text=text,
            column=column,
        )


        board_cell.additional_properties = d
        return board_cell

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

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.board_cell import BoardCell





T = TypeVar("T", bound="BoardRow")



@_attrs_define
class BoardRow:
    """ One row of a board.

        Attributes:
            heading (bool): True if the row is a heading of the rows below it, up to the next heading.
            cells (list[BoardCell]): Cells from left to right; never empty. A price beside its name is a row of two cells.
     """

    heading: bool
    cells: list[BoardCell]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.board_cell import BoardCell # noqa: PLC0415
        heading = self.heading

        cells = []
        for cells_item_data in self.cells:
            cells_item = cells_item_data.to_dict()
            cells.append(cells_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "heading": heading,
            "cells": cells,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.board_cell import BoardCell # noqa: PLC0415
        d = dict(src_dict)
        heading = d.pop("heading")

        cells = []
        _cells = d.pop("cells")
        for cells_item_data in (_cells):
            cells_item = BoardCell.from_dict(cells_item_data)



            cells.append(cells_item)


        board_row = cls(
            heading=heading,
            cells=cells,
        )


        board_row.additional_properties = d
        return board_row

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

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.board_row import BoardRow
  from ..models.claim import Claim





T = TypeVar("T", bound="Board")



@_attrs_define
class Board:
    """ Lines of text that belong together.

    A board has at least two cells. A text is a cell of at most one board; texts of no board stand
    alone.

        Attributes:
            id (str): `brd_<number>`.
            rows (list[BoardRow]): Rows from top to bottom.
            claim (Claim): One statement about the space.
            zone_id (None | str | Unset): The zone it was seen in, an id of `zones[]`.
     """

    id: str
    rows: list[BoardRow]
    claim: Claim
    zone_id: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.board_row import BoardRow # noqa: PLC0415
        from ..models.claim import Claim # noqa: PLC0415
        id = self.id

        rows = []
        for rows_item_data in self.rows:
            rows_item = rows_item_data.to_dict()
            rows.append(rows_item)



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
            "rows": rows,
            "claim": claim,
        })
        if zone_id is not UNSET:
            field_dict["zone_id"] = zone_id

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.board_row import BoardRow # noqa: PLC0415
        from ..models.claim import Claim # noqa: PLC0415
        d = dict(src_dict)
        id = d.pop("id")

        rows = []
        _rows = d.pop("rows")
        for rows_item_data in (_rows):
            rows_item = BoardRow.from_dict(rows_item_data)



            rows.append(rows_item)


        claim = Claim.from_dict(d.pop("claim"))




        def _parse_zone_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        zone_id = _parse_zone_id(d.pop("zone_id", UNSET))


        board = cls(
            id=id,
            rows=rows,
            claim=claim,
            zone_id=zone_id,
        )


        board.additional_properties = d
        return board

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

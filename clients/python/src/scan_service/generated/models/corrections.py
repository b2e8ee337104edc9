from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.new_correction import NewCorrection





T = TypeVar("T", bound="Corrections")



@_attrs_define
class Corrections:
    """ Corrections to be made.

        Attributes:
            corrections (list[NewCorrection]): 1 to 50 corrections. A correction of a field that was corrected before
                replaces the earlier
                one.
            scan_id (None | str | Unset):
     """

    corrections: list[NewCorrection]
    scan_id: None | str | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.new_correction import NewCorrection # noqa: PLC0415
        corrections = []
        for corrections_item_data in self.corrections:
            corrections_item = corrections_item_data.to_dict()
            corrections.append(corrections_item)



        scan_id: None | str | Unset
        if isinstance(self.scan_id, Unset):
            scan_id = UNSET
        else:
            scan_id = self.scan_id


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "corrections": corrections,
        })
        if scan_id is not UNSET:
            field_dict["scan_id"] = scan_id

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.new_correction import NewCorrection # noqa: PLC0415
        d = dict(src_dict)
        corrections = []
        _corrections = d.pop("corrections")
        for corrections_item_data in (_corrections):
            corrections_item = NewCorrection.from_dict(corrections_item_data)



            corrections.append(corrections_item)


        def _parse_scan_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        scan_id = _parse_scan_id(d.pop("scan_id", UNSET))


        corrections = cls(
            corrections=corrections,
            scan_id=scan_id,
        )

        return corrections


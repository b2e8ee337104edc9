from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.correction import Correction





T = TypeVar("T", bound="DocumentCorrections")



@_attrs_define
class DocumentCorrections:
    """ The corrections of a document.

        Attributes:
            object_ (str): Always `document_corrections`.
            scan_id (str):
            corrections (list[Correction]): All corrections of the document, oldest first.
     """

    object_: str
    scan_id: str
    corrections: list[Correction]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.correction import Correction # noqa: PLC0415
        object_ = self.object_

        scan_id = self.scan_id

        corrections = []
        for corrections_item_data in self.corrections:
            corrections_item = corrections_item_data.to_dict()
            corrections.append(corrections_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "object": object_,
            "scan_id": scan_id,
            "corrections": corrections,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.correction import Correction # noqa: PLC0415
        d = dict(src_dict)
        object_ = d.pop("object")

        scan_id = d.pop("scan_id")

        corrections = []
        _corrections = d.pop("corrections")
        for corrections_item_data in (_corrections):
            corrections_item = Correction.from_dict(corrections_item_data)



            corrections.append(corrections_item)


        document_corrections = cls(
            object_=object_,
            scan_id=scan_id,
            corrections=corrections,
        )


        document_corrections.additional_properties = d
        return document_corrections

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

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.share import Share





T = TypeVar("T", bound="ShareList")



@_attrs_define
class ShareList:
    """ 
        Attributes:
            object_ (str): Always `list`.
            data (list[Share]):
            next_cursor (None | str): Send it as `cursor` to get the next page; null on the last page.
     """

    object_: str
    data: list[Share]
    next_cursor: None | str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.share import Share # noqa: PLC0415
        object_: str
        object_ = self.object_

        data = []
        for data_item_data in self.data:
            data_item = data_item_data.to_dict()
            data.append(data_item)



        next_cursor: None | str
        next_cursor = self.next_cursor


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "object": object_,
            "data": data,
            "next_cursor": next_cursor,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.share import Share # noqa: PLC0415
        d = dict(src_dict)
        def _parse_object_(data: object) -> str:
            return cast(str, data)

        object_ = _parse_object_(d.pop("object"))


        data = []
        _data = d.pop("data")
        for data_item_data in (_data):
            data_item = Share.from_dict(data_item_data)



            data.append(data_item)


        def _parse_next_cursor(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        next_cursor = _parse_next_cursor(d.pop("next_cursor"))


        share_list = cls(
            object_=object_,
            data=data,
            next_cursor=next_cursor,
        )


        share_list.additional_properties = d
        return share_list

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

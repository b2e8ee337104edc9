from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="NewShare")



@_attrs_define
class NewShare:
    """ A link to be made.

        Attributes:
            scan_id (None | str | Unset):
            expires_in_days (int | Unset): Days until it expires, 1 to 90; 7 if omitted. Default: 7.
            shows_credentials (bool | Unset): Whether it shows passwords, PINs, door codes and network keys, and the frames
                with them. Default: False.
            shows_persons (bool | Unset): Whether it shows the frames with persons. Default: False.
     """

    scan_id: None | str | Unset = UNSET
    expires_in_days: int | Unset = 7
    shows_credentials: bool | Unset = False
    shows_persons: bool | Unset = False





    def to_dict(self) -> dict[str, Any]:
        scan_id: None | str | Unset
        if isinstance(self.scan_id, Unset):
            scan_id = UNSET
        else:
            scan_id = self.scan_id

        expires_in_days = self.expires_in_days

        shows_credentials = self.shows_credentials

        shows_persons = self.shows_persons


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if scan_id is not UNSET:
            field_dict["scan_id"] = scan_id
        if expires_in_days is not UNSET:
            field_dict["expires_in_days"] = expires_in_days
        if shows_credentials is not UNSET:
            field_dict["shows_credentials"] = shows_credentials
        if shows_persons is not UNSET:
            field_dict["shows_persons"] = shows_persons

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        def _parse_scan_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        scan_id = _parse_scan_id(d.pop("scan_id", UNSET))


        expires_in_days = d.pop("expires_in_days", UNSET)

        shows_credentials = d.pop("shows_credentials", UNSET)

        shows_persons = d.pop("shows_persons", UNSET)

        new_share = cls(
            scan_id=scan_id,
            expires_in_days=expires_in_days,
            shows_credentials=shows_credentials,
            shows_persons=shows_persons,
        )

        return new_share


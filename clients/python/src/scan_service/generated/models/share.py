from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
import datetime






T = TypeVar("T", bound="Share")



@_attrs_define
class Share:
    """ A link that shows one document to anybody who has it.

        Attributes:
            object_ (str): Always `share`.
            id (str):
            space_id (str):
            scan_id (str):
            active (bool): Whether it has neither expired nor been revoked.
            shows_credentials (bool): Whether it shows credentials.
            shows_persons (bool): Whether it shows persons.
            created_at (datetime.datetime):
            expires_at (datetime.datetime):
            revoked_at (datetime.datetime | None | Unset):
     """

    object_: str
    id: str
    space_id: str
    scan_id: str
    active: bool
    shows_credentials: bool
    shows_persons: bool
    created_at: datetime.datetime
    expires_at: datetime.datetime
    revoked_at: datetime.datetime | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        object_ = self.object_

        id = self.id

        space_id = self.space_id

        scan_id = self.scan_id

        active = self.active

        shows_credentials = self.shows_credentials

        shows_persons = self.shows_persons

        created_at = self.created_at.isoformat()

        expires_at = self.expires_at.isoformat()

        revoked_at: None | str | Unset
        if isinstance(self.revoked_at, Unset):
            revoked_at = UNSET
        elif isinstance(self.revoked_at, datetime.datetime):
            revoked_at = self.revoked_at.isoformat()
        else:
            revoked_at = self.revoked_at


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "object": object_,
            "id": id,
            "space_id": space_id,
            "scan_id": scan_id,
            "active": active,
            "shows_credentials": shows_credentials,
            "shows_persons": shows_persons,
            "created_at": created_at,
            "expires_at": expires_at,
        })
        if revoked_at is not UNSET:
            field_dict["revoked_at"] = revoked_at

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        object_ = d.pop("object")

        id = d.pop("id")

        space_id = d.pop("space_id")

        scan_id = d.pop("scan_id")

        active = d.pop("active")

        shows_credentials = d.pop("shows_credentials")

        shows_persons = d.pop("shows_persons")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))




        expires_at = datetime.datetime.fromisoformat(d.pop("expires_at"))




        def _parse_revoked_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                revoked_at_type_0 = datetime.datetime.fromisoformat(data)



                return revoked_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        revoked_at = _parse_revoked_at(d.pop("revoked_at", UNSET))


        share = cls(
            object_=object_,
            id=id,
            space_id=space_id,
            scan_id=scan_id,
            active=active,
            shows_credentials=shows_credentials,
            shows_persons=shows_persons,
            created_at=created_at,
            expires_at=expires_at,
            revoked_at=revoked_at,
        )


        share.additional_properties = d
        return share

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

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
import datetime






T = TypeVar("T", bound="OpenSession")



@_attrs_define
class OpenSession:
    """ A session of the user.

        Attributes:
            object_ (str): Always `open_session`.
            id (str):
            current (bool): Whether this request belongs to it.
            created_at (datetime.datetime):
            last_seen_at (datetime.datetime):
            expires_at (datetime.datetime):
            client_address (None | str | Unset): IP address of the log-in.
            user_agent (None | str | Unset): `User-Agent` of the log-in.
     """

    object_: str
    id: str
    current: bool
    created_at: datetime.datetime
    last_seen_at: datetime.datetime
    expires_at: datetime.datetime
    client_address: None | str | Unset = UNSET
    user_agent: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        object_ = self.object_

        id = self.id

        current = self.current

        created_at = self.created_at.isoformat()

        last_seen_at = self.last_seen_at.isoformat()

        expires_at = self.expires_at.isoformat()

        client_address: None | str | Unset
        if isinstance(self.client_address, Unset):
            client_address = UNSET
        else:
            client_address = self.client_address

        user_agent: None | str | Unset
        if isinstance(self.user_agent, Unset):
            user_agent = UNSET
        else:
            user_agent = self.user_agent


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "object": object_,
            "id": id,
            "current": current,
            "created_at": created_at,
            "last_seen_at": last_seen_at,
            "expires_at": expires_at,
        })
        if client_address is not UNSET:
            field_dict["client_address"] = client_address
        if user_agent is not UNSET:
            field_dict["user_agent"] = user_agent

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        object_ = d.pop("object")

        id = d.pop("id")

        current = d.pop("current")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))




        last_seen_at = datetime.datetime.fromisoformat(d.pop("last_seen_at"))




        expires_at = datetime.datetime.fromisoformat(d.pop("expires_at"))




        def _parse_client_address(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        client_address = _parse_client_address(d.pop("client_address", UNSET))


        def _parse_user_agent(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        user_agent = _parse_user_agent(d.pop("user_agent", UNSET))


        open_session = cls(
            object_=object_,
            id=id,
            current=current,
            created_at=created_at,
            last_seen_at=last_seen_at,
            expires_at=expires_at,
            client_address=client_address,
            user_agent=user_agent,
        )


        open_session.additional_properties = d
        return open_session

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

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.session_account import SessionAccount
  from ..models.session_user import SessionUser





T = TypeVar("T", bound="Session")



@_attrs_define
class Session:
    """ A console session.

        Attributes:
            object_ (str): Always `session`.
            id (str):
            created_at (datetime.datetime):
            expires_at (datetime.datetime):
            user (SessionUser): The user who is logged in.
            account (SessionAccount): The account of a user.
     """

    object_: str
    id: str
    created_at: datetime.datetime
    expires_at: datetime.datetime
    user: SessionUser
    account: SessionAccount
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.session_account import SessionAccount # noqa: PLC0415
        from ..models.session_user import SessionUser # noqa: PLC0415
        object_ = self.object_

        id = self.id

        created_at = self.created_at.isoformat()

        expires_at = self.expires_at.isoformat()

        user = self.user.to_dict()

        account = self.account.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "object": object_,
            "id": id,
            "created_at": created_at,
            "expires_at": expires_at,
            "user": user,
            "account": account,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.session_account import SessionAccount # noqa: PLC0415
        from ..models.session_user import SessionUser # noqa: PLC0415
        d = dict(src_dict)
        object_ = d.pop("object")

        id = d.pop("id")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))




        expires_at = datetime.datetime.fromisoformat(d.pop("expires_at"))




        user = SessionUser.from_dict(d.pop("user"))




        account = SessionAccount.from_dict(d.pop("account"))




        session = cls(
            object_=object_,
            id=id,
            created_at=created_at,
            expires_at=expires_at,
            user=user,
            account=account,
        )


        session.additional_properties = d
        return session

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

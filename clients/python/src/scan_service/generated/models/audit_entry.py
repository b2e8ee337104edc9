from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.audit_entry_detail import AuditEntryDetail





T = TypeVar("T", bound="AuditEntry")



@_attrs_define
class AuditEntry:
    """ An action in an account.

        Attributes:
            object_ (str): Always `audit_entry`.
            actor (str): Id of the user or key that acted, or `operator`.
            action (str): Name of the action, for example `key.revoked`. New actions may be added.
            subject (str): Id of the resource that it changed.
            detail (AuditEntryDetail): Details of the action.
            at (datetime.datetime):
            client_address (None | str | Unset): IP address of the client that requested it, if it was a request.
            user_agent (None | str | Unset): `User-Agent` of the client that requested it, or the operator's program.
     """

    object_: str
    actor: str
    action: str
    subject: str
    detail: AuditEntryDetail
    at: datetime.datetime
    client_address: None | str | Unset = UNSET
    user_agent: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.audit_entry_detail import AuditEntryDetail # noqa: PLC0415
        object_ = self.object_

        actor = self.actor

        action = self.action

        subject = self.subject

        detail = self.detail.to_dict()

        at = self.at.isoformat()

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
            "actor": actor,
            "action": action,
            "subject": subject,
            "detail": detail,
            "at": at,
        })
        if client_address is not UNSET:
            field_dict["client_address"] = client_address
        if user_agent is not UNSET:
            field_dict["user_agent"] = user_agent

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.audit_entry_detail import AuditEntryDetail # noqa: PLC0415
        d = dict(src_dict)
        object_ = d.pop("object")

        actor = d.pop("actor")

        action = d.pop("action")

        subject = d.pop("subject")

        detail = AuditEntryDetail.from_dict(d.pop("detail"))




        at = datetime.datetime.fromisoformat(d.pop("at"))




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


        audit_entry = cls(
            object_=object_,
            actor=actor,
            action=action,
            subject=subject,
            detail=detail,
            at=at,
            client_address=client_address,
            user_agent=user_agent,
        )


        audit_entry.additional_properties = d
        return audit_entry

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

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.mode import Mode
from ..models.scope import Scope
from ..types import UNSET, Unset
from typing import cast
import datetime






T = TypeVar("T", bound="ApiKey")



@_attrs_define
class ApiKey:
    """ An API key, without its secret.

        Attributes:
            object_ (str): Always `key`.
            id (str):
            mode (Mode): The mode of a key, space, scan, wallet or event.
            name (str): Name of the key.
            hint (str): First characters of its secret.
            active (bool): Whether it is neither revoked nor expired.
            scopes (list[Scope]): Its scopes.
            spent_this_month_cents (int): Cost of scans started with it this month (UTC), less refunds.
            created_at (datetime.datetime):
            monthly_cap_cents (int | None | Unset): Maximum cost of scans started with it per calendar month (UTC); null
                without a cap.
            last_used_at (datetime.datetime | None | Unset):
            expires_at (datetime.datetime | None | Unset):
            revoked_at (datetime.datetime | None | Unset):
     """

    object_: str
    id: str
    mode: Mode
    name: str
    hint: str
    active: bool
    scopes: list[Scope]
    spent_this_month_cents: int
    created_at: datetime.datetime
    monthly_cap_cents: int | None | Unset = UNSET
    last_used_at: datetime.datetime | None | Unset = UNSET
    expires_at: datetime.datetime | None | Unset = UNSET
    revoked_at: datetime.datetime | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        object_ = self.object_

        id = self.id

        mode = self.mode.value

        name = self.name

        hint = self.hint

        active = self.active

        scopes = []
        for scopes_item_data in self.scopes:
            scopes_item = scopes_item_data.value
            scopes.append(scopes_item)



        spent_this_month_cents = self.spent_this_month_cents

        created_at = self.created_at.isoformat()

        monthly_cap_cents: int | None | Unset
        if isinstance(self.monthly_cap_cents, Unset):
            monthly_cap_cents = UNSET
        else:
            monthly_cap_cents = self.monthly_cap_cents

        last_used_at: None | str | Unset
        if isinstance(self.last_used_at, Unset):
            last_used_at = UNSET
        elif isinstance(self.last_used_at, datetime.datetime):
            last_used_at = self.last_used_at.isoformat()
        else:
            last_used_at = self.last_used_at

        expires_at: None | str | Unset
        if isinstance(self.expires_at, Unset):
            expires_at = UNSET
        elif isinstance(self.expires_at, datetime.datetime):
            expires_at = self.expires_at.isoformat()
        else:
            expires_at = self.expires_at

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
            "mode": mode,
            "name": name,
            "hint": hint,
            "active": active,
            "scopes": scopes,
            "spent_this_month_cents": spent_this_month_cents,
            "created_at": created_at,
        })
        if monthly_cap_cents is not UNSET:
            field_dict["monthly_cap_cents"] = monthly_cap_cents
        if last_used_at is not UNSET:
            field_dict["last_used_at"] = last_used_at
        if expires_at is not UNSET:
            field_dict["expires_at"] = expires_at
        if revoked_at is not UNSET:
            field_dict["revoked_at"] = revoked_at

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        object_ = d.pop("object")

        id = d.pop("id")

        mode = Mode(d.pop("mode"))




        name = d.pop("name")

        hint = d.pop("hint")

        active = d.pop("active")

        scopes = []
        _scopes = d.pop("scopes")
        for scopes_item_data in (_scopes):
            scopes_item = Scope(scopes_item_data)



            scopes.append(scopes_item)


        spent_this_month_cents = d.pop("spent_this_month_cents")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))




        def _parse_monthly_cap_cents(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        monthly_cap_cents = _parse_monthly_cap_cents(d.pop("monthly_cap_cents", UNSET))


        def _parse_last_used_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                last_used_at_type_0 = datetime.datetime.fromisoformat(data)



                return last_used_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        last_used_at = _parse_last_used_at(d.pop("last_used_at", UNSET))


        def _parse_expires_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                expires_at_type_0 = datetime.datetime.fromisoformat(data)



                return expires_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        expires_at = _parse_expires_at(d.pop("expires_at", UNSET))


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


        api_key = cls(
            object_=object_,
            id=id,
            mode=mode,
            name=name,
            hint=hint,
            active=active,
            scopes=scopes,
            spent_this_month_cents=spent_this_month_cents,
            created_at=created_at,
            monthly_cap_cents=monthly_cap_cents,
            last_used_at=last_used_at,
            expires_at=expires_at,
            revoked_at=revoked_at,
        )


        api_key.additional_properties = d
        return api_key

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

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.scope import Scope
from ..types import UNSET, Unset
from typing import cast
import datetime






T = TypeVar("T", bound="NewKey")



@_attrs_define
class NewKey:
    """ A new key, in the mode of `Scan-Mode`.

        Attributes:
            name (str): Name of the key.
            scopes (list[Scope]):
            monthly_cap_cents (int | None | Unset): Maximum cost of scans started with it per calendar month (UTC); no cap
                if omitted.
            expires_at (datetime.datetime | None | Unset):
     """

    name: str
    scopes: list[Scope]
    monthly_cap_cents: int | None | Unset = UNSET
    expires_at: datetime.datetime | None | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        name = self.name

        scopes = []
        for scopes_item_data in self.scopes:
            scopes_item = scopes_item_data.value
            scopes.append(scopes_item)



        monthly_cap_cents: int | None | Unset
        if isinstance(self.monthly_cap_cents, Unset):
            monthly_cap_cents = UNSET
        else:
            monthly_cap_cents = self.monthly_cap_cents

        expires_at: None | str | Unset
        if isinstance(self.expires_at, Unset):
            expires_at = UNSET
        elif isinstance(self.expires_at, datetime.datetime):
            expires_at = self.expires_at.isoformat()
        else:
            expires_at = self.expires_at


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "name": name,
            "scopes": scopes,
        })
        if monthly_cap_cents is not UNSET:
            field_dict["monthly_cap_cents"] = monthly_cap_cents
        if expires_at is not UNSET:
            field_dict["expires_at"] = expires_at

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        scopes = []
        _scopes = d.pop("scopes")
        for scopes_item_data in (_scopes):
            scopes_item = Scope(scopes_item_data)



            scopes.append(scopes_item)


        def _parse_monthly_cap_cents(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        monthly_cap_cents = _parse_monthly_cap_cents(d.pop("monthly_cap_cents", UNSET))


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


        new_key = cls(
            name=name,
            scopes=scopes,
            monthly_cap_cents=monthly_cap_cents,
            expires_at=expires_at,
        )

        return new_key


from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
import datetime






T = TypeVar("T", bound="BillingEntry")



@_attrs_define
class BillingEntry:
    """ A change of the balance or of the free scans.

        Attributes:
            object_ (str): Always `billing_entry`.
            id (str):
            kind (str): `grant`, `topup`, `charge`, `refund` or `adjustment`.
            amount_cents (int): Change of the balance, in cents.
            free_scans (int): Change of the free scans.
            created_at (datetime.datetime):
            scan_id (None | str | Unset):
            key_id (None | str | Unset):
            top_up_id (None | str | Unset):
     """

    object_: str
    id: str
    kind: str
    amount_cents: int
    free_scans: int
    created_at: datetime.datetime
    scan_id: None | str | Unset = UNSET
    key_id: None | str | Unset = UNSET
    top_up_id: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        object_ = self.object_

        id = self.id

        kind = self.kind

        amount_cents = self.amount_cents

        free_scans = self.free_scans

        created_at = self.created_at.isoformat()

        scan_id: None | str | Unset
        if isinstance(self.scan_id, Unset):
            scan_id = UNSET
        else:
            scan_id = self.scan_id

        key_id: None | str | Unset
        if isinstance(self.key_id, Unset):
            key_id = UNSET
        else:
            key_id = self.key_id

        top_up_id: None | str | Unset
        if isinstance(self.top_up_id, Unset):
            top_up_id = UNSET
        else:
            top_up_id = self.top_up_id


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "object": object_,
            "id": id,
            "kind": kind,
            "amount_cents": amount_cents,
            "free_scans": free_scans,
            "created_at": created_at,
        })
        if scan_id is not UNSET:
            field_dict["scan_id"] = scan_id
        if key_id is not UNSET:
            field_dict["key_id"] = key_id
        if top_up_id is not UNSET:
            field_dict["top_up_id"] = top_up_id

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        object_ = d.pop("object")

        id = d.pop("id")

        kind = d.pop("kind")

        amount_cents = d.pop("amount_cents")

        free_scans = d.pop("free_scans")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))




        def _parse_scan_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        scan_id = _parse_scan_id(d.pop("scan_id", UNSET))


        def _parse_key_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        key_id = _parse_key_id(d.pop("key_id", UNSET))


        def _parse_top_up_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        top_up_id = _parse_top_up_id(d.pop("top_up_id", UNSET))


        billing_entry = cls(
            object_=object_,
            id=id,
            kind=kind,
            amount_cents=amount_cents,
            free_scans=free_scans,
            created_at=created_at,
            scan_id=scan_id,
            key_id=key_id,
            top_up_id=top_up_id,
        )


        billing_entry.additional_properties = d
        return billing_entry

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

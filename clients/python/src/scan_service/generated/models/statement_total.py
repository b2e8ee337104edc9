from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="StatementTotal")



@_attrs_define
class StatementTotal:
    """ Total of all entries of a kind.

        Attributes:
            kind (str): Kind of the entries.
            amount_cents (int): Change of the balance, in cents.
            free_scans (int): Change of the free scans.
     """

    kind: str
    amount_cents: int
    free_scans: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        kind = self.kind

        amount_cents = self.amount_cents

        free_scans = self.free_scans


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "kind": kind,
            "amount_cents": amount_cents,
            "free_scans": free_scans,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        kind = d.pop("kind")

        amount_cents = d.pop("amount_cents")

        free_scans = d.pop("free_scans")

        statement_total = cls(
            kind=kind,
            amount_cents=amount_cents,
            free_scans=free_scans,
        )


        statement_total.additional_properties = d
        return statement_total

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

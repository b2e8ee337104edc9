from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="NewTopUp")



@_attrs_define
class NewTopUp:
    """ A new top-up.

        Attributes:
            amount_cents (int): Amount, in cents.
     """

    amount_cents: int





    def to_dict(self) -> dict[str, Any]:
        amount_cents = self.amount_cents


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "amount_cents": amount_cents,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        amount_cents = d.pop("amount_cents")

        new_top_up = cls(
            amount_cents=amount_cents,
        )

        return new_top_up


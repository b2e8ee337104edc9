from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="NewPaymentMethod")



@_attrs_define
class NewPaymentMethod:
    """ A new payment method.

        Attributes:
            payment_method (str): The bank's id of the payment method.
     """

    payment_method: str





    def to_dict(self) -> dict[str, Any]:
        payment_method = self.payment_method


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "payment_method": payment_method,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        payment_method = d.pop("payment_method")

        new_payment_method = cls(
            payment_method=payment_method,
        )

        return new_payment_method


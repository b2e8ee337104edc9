from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
import datetime






T = TypeVar("T", bound="PaymentMethod")



@_attrs_define
class PaymentMethod:
    """ The payment method of an account in a mode.

        Attributes:
            object_ (str): Always `payment_method`.
            brand (str): Card brand, for example `visa`.
            last4 (str): Last four digits of the card number.
            livemode (bool): Whether it is charged real money.
            updated_at (datetime.datetime):
     """

    object_: str
    brand: str
    last4: str
    livemode: bool
    updated_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        object_ = self.object_

        brand = self.brand

        last4 = self.last4

        livemode = self.livemode

        updated_at = self.updated_at.isoformat()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "object": object_,
            "brand": brand,
            "last4": last4,
            "livemode": livemode,
            "updated_at": updated_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        object_ = d.pop("object")

        brand = d.pop("brand")

        last4 = d.pop("last4")

        livemode = d.pop("livemode")

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))




        payment_method = cls(
            object_=object_,
            brand=brand,
            last4=last4,
            livemode=livemode,
            updated_at=updated_at,
        )


        payment_method.additional_properties = d
        return payment_method

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

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.charge_kind import ChargeKind






T = TypeVar("T", bound="Charge")



@_attrs_define
class Charge:
    """ The `charge` object of a scan.

        Attributes:
            kind (ChargeKind): Method of payment of a scan.
            price_cents (int): Amount charged to the wallet, in cents; 0 for a free scan.
            refunded (bool): Whether it was refunded.
     """

    kind: ChargeKind
    price_cents: int
    refunded: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        kind = self.kind.value

        price_cents = self.price_cents

        refunded = self.refunded


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "kind": kind,
            "price_cents": price_cents,
            "refunded": refunded,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        kind = ChargeKind(d.pop("kind"))




        price_cents = d.pop("price_cents")

        refunded = d.pop("refunded")

        charge = cls(
            kind=kind,
            price_cents=price_cents,
            refunded=refunded,
        )


        charge.additional_properties = d
        return charge

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

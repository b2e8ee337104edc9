from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.auto_recharge import AutoRecharge





T = TypeVar("T", bound="Wallet")



@_attrs_define
class Wallet:
    """ The wallet of the account in the key's mode.

        Attributes:
            object_ (str): Always `wallet`.
            balance_cents (int): The balance, in cents.
            free_scans (int): Remaining free scans. They are used before the balance.
            currency (str): Currency of the balance; always `usd`.
            livemode (bool): Whether the wallet holds real money.
            payments_enabled (bool): Whether the wallet can be topped up. False in live mode if this installation has no
                payment
                provider.
            auto_recharge (AutoRecharge): Settings of automatic top-ups.
     """

    object_: str
    balance_cents: int
    free_scans: int
    currency: str
    livemode: bool
    payments_enabled: bool
    auto_recharge: AutoRecharge
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.auto_recharge import AutoRecharge # noqa: PLC0415
        object_ = self.object_

        balance_cents = self.balance_cents

        free_scans = self.free_scans

        currency = self.currency

        livemode = self.livemode

        payments_enabled = self.payments_enabled

        auto_recharge = self.auto_recharge.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "object": object_,
            "balance_cents": balance_cents,
            "free_scans": free_scans,
            "currency": currency,
            "livemode": livemode,
            "payments_enabled": payments_enabled,
            "auto_recharge": auto_recharge,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.auto_recharge import AutoRecharge # noqa: PLC0415
        d = dict(src_dict)
        object_ = d.pop("object")

        balance_cents = d.pop("balance_cents")

        free_scans = d.pop("free_scans")

        currency = d.pop("currency")

        livemode = d.pop("livemode")

        payments_enabled = d.pop("payments_enabled")

        auto_recharge = AutoRecharge.from_dict(d.pop("auto_recharge"))




        wallet = cls(
            object_=object_,
            balance_cents=balance_cents,
            free_scans=free_scans,
            currency=currency,
            livemode=livemode,
            payments_enabled=payments_enabled,
            auto_recharge=auto_recharge,
        )


        wallet.additional_properties = d
        return wallet

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

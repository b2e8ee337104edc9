from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="NewAutoRecharge")



@_attrs_define
class NewAutoRecharge:
    """ New settings of automatic top-ups.

        Attributes:
            enabled (bool): Whether automatic top-ups are enabled.
            threshold_cents (int): Balance in cents below which a scan triggers a top-up. A scan that the wallet cannot pay
                always triggers one.
            amount_cents (int): Amount of a top-up in cents, or more if a scan costs more.
            daily_limit_cents (int): Maximum total of automatic top-ups in any 24 hours, in cents; at least `amount_cents`.
     """

    enabled: bool
    threshold_cents: int
    amount_cents: int
    daily_limit_cents: int





    def to_dict(self) -> dict[str, Any]:
        enabled = self.enabled

        threshold_cents = self.threshold_cents

        amount_cents = self.amount_cents

        daily_limit_cents = self.daily_limit_cents


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "enabled": enabled,
            "threshold_cents": threshold_cents,
            "amount_cents": amount_cents,
            "daily_limit_cents": daily_limit_cents,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        enabled = d.pop("enabled")

        threshold_cents = d.pop("threshold_cents")

        amount_cents = d.pop("amount_cents")

        daily_limit_cents = d.pop("daily_limit_cents")

        new_auto_recharge = cls(
            enabled=enabled,
            threshold_cents=threshold_cents,
            amount_cents=amount_cents,
            daily_limit_cents=daily_limit_cents,
        )

        return new_auto_recharge


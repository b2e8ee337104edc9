from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="AutoRecharge")



@_attrs_define
class AutoRecharge:
    """ Settings of automatic top-ups.

        Attributes:
            enabled (bool): Whether automatic top-ups are enabled.
            in_progress (bool): Whether an automatic top-up is in progress.
            threshold_cents (int | None | Unset): Balance in cents below which a scan triggers a top-up; null if never set.
                A start that is
                refused with `INSUFFICIENT_FUNDS` always triggers one.
            amount_cents (int | None | Unset): Amount of a top-up in cents, or more if a scan costs more; null if never set.
            daily_limit_cents (int | None | Unset): Maximum total of automatic top-ups in any 24 hours, in cents; null if
                never set.
     """

    enabled: bool
    in_progress: bool
    threshold_cents: int | None | Unset = UNSET
    amount_cents: int | None | Unset = UNSET
    daily_limit_cents: int | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        enabled = self.enabled

        in_progress = self.in_progress

        threshold_cents: int | None | Unset
        if isinstance(self.threshold_cents, Unset):
            threshold_cents = UNSET
        else:
            threshold_cents = self.threshold_cents

        amount_cents: int | None | Unset
        if isinstance(self.amount_cents, Unset):
            amount_cents = UNSET
        else:
            amount_cents = self.amount_cents

        daily_limit_cents: int | None | Unset
        if isinstance(self.daily_limit_cents, Unset):
            daily_limit_cents = UNSET
        else:
            daily_limit_cents = self.daily_limit_cents


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "enabled": enabled,
            "in_progress": in_progress,
        })
        if threshold_cents is not UNSET:
            field_dict["threshold_cents"] = threshold_cents
        if amount_cents is not UNSET:
            field_dict["amount_cents"] = amount_cents
        if daily_limit_cents is not UNSET:
            field_dict["daily_limit_cents"] = daily_limit_cents

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        enabled = d.pop("enabled")

        in_progress = d.pop("in_progress")

        def _parse_threshold_cents(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        threshold_cents = _parse_threshold_cents(d.pop("threshold_cents", UNSET))


        def _parse_amount_cents(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        amount_cents = _parse_amount_cents(d.pop("amount_cents", UNSET))


        def _parse_daily_limit_cents(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        daily_limit_cents = _parse_daily_limit_cents(d.pop("daily_limit_cents", UNSET))


        auto_recharge = cls(
            enabled=enabled,
            in_progress=in_progress,
            threshold_cents=threshold_cents,
            amount_cents=amount_cents,
            daily_limit_cents=daily_limit_cents,
        )


        auto_recharge.additional_properties = d
        return auto_recharge

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

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.holding import Holding
  from ..models.statement_total import StatementTotal





T = TypeVar("T", bound="BillingStatement")



@_attrs_define
class BillingStatement:
    """ Statement of a month: opening plus totals equals closing.

        Attributes:
            object_ (str): Always `billing_statement`.
            month (str): The calendar month in UTC.
            currency (str): Always `usd`.
            livemode (bool): Whether it is real money.
            opening (Holding): Contents of a wallet.
            totals (list[StatementTotal]): Totals by kind; kinds without entries are omitted.
            closing (Holding): Contents of a wallet.
     """

    object_: str
    month: str
    currency: str
    livemode: bool
    opening: Holding
    totals: list[StatementTotal]
    closing: Holding
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.holding import Holding # noqa: PLC0415
        from ..models.statement_total import StatementTotal # noqa: PLC0415
        object_ = self.object_

        month = self.month

        currency = self.currency

        livemode = self.livemode

        opening = self.opening.to_dict()

        totals = []
        for totals_item_data in self.totals:
            totals_item = totals_item_data.to_dict()
            totals.append(totals_item)



        closing = self.closing.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "object": object_,
            "month": month,
            "currency": currency,
            "livemode": livemode,
            "opening": opening,
            "totals": totals,
            "closing": closing,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.holding import Holding # noqa: PLC0415
        from ..models.statement_total import StatementTotal # noqa: PLC0415
        d = dict(src_dict)
        object_ = d.pop("object")

        month = d.pop("month")

        currency = d.pop("currency")

        livemode = d.pop("livemode")

        opening = Holding.from_dict(d.pop("opening"))




        totals = []
        _totals = d.pop("totals")
        for totals_item_data in (_totals):
            totals_item = StatementTotal.from_dict(totals_item_data)



            totals.append(totals_item)


        closing = Holding.from_dict(d.pop("closing"))




        billing_statement = cls(
            object_=object_,
            month=month,
            currency=currency,
            livemode=livemode,
            opening=opening,
            totals=totals,
            closing=closing,
        )


        billing_statement.additional_properties = d
        return billing_statement

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

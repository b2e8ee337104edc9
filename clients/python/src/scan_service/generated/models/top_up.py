from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.payment_kind import PaymentKind
from ..models.payment_state import PaymentState
from ..types import UNSET, Unset
from typing import cast
import datetime






T = TypeVar("T", bound="TopUp")



@_attrs_define
class TopUp:
    """ A payment into the wallet.

        Attributes:
            object_ (str): Always `top_up`.
            id (str):
            kind (PaymentKind): Reason for a payment.
            status (PaymentState): Last known state of a payment.
            amount_cents (int): Amount, in cents.
            refunded_cents (int): Amount that the bank refunded, in cents.
            livemode (bool): Whether it is real money.
            created_at (datetime.datetime):
            updated_at (datetime.datetime):
            reason (None | str | Unset): The bank's code for why the payment failed; null if it did not.
            client_secret (None | str | Unset): While it `needs_action`: secret for the bank's form in the browser, if the
                bank has one.
            confirm_url (None | str | Unset): While it `needs_action`: URL of the bank's confirmation page, if the bank has
                one. Anyone
                with the URL can confirm.
            dispute (None | str | Unset): The bank's status of a dispute; null without a dispute.
     """

    object_: str
    id: str
    kind: PaymentKind
    status: PaymentState
    amount_cents: int
    refunded_cents: int
    livemode: bool
    created_at: datetime.datetime
    updated_at: datetime.datetime
    reason: None | str | Unset = UNSET
    client_secret: None | str | Unset = UNSET
    confirm_url: None | str | Unset = UNSET
    dispute: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        object_ = self.object_

        id = self.id

        kind = self.kind.value

        status = self.status.value

        amount_cents = self.amount_cents

        refunded_cents = self.refunded_cents

        livemode = self.livemode

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        reason: None | str | Unset
        if isinstance(self.reason, Unset):
            reason = UNSET
        else:
            reason = self.reason

        client_secret: None | str | Unset
        if isinstance(self.client_secret, Unset):
            client_secret = UNSET
        else:
            client_secret = self.client_secret

        confirm_url: None | str | Unset
        if isinstance(self.confirm_url, Unset):
            confirm_url = UNSET
        else:
            confirm_url = self.confirm_url

        dispute: None | str | Unset
        if isinstance(self.dispute, Unset):
            dispute = UNSET
        else:
            dispute = self.dispute


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "object": object_,
            "id": id,
            "kind": kind,
            "status": status,
            "amount_cents": amount_cents,
            "refunded_cents": refunded_cents,
            "livemode": livemode,
            "created_at": created_at,
            "updated_at": updated_at,
        })
        if reason is not UNSET:
            field_dict["reason"] = reason
        if client_secret is not UNSET:
            field_dict["client_secret"] = client_secret
        if confirm_url is not UNSET:
            field_dict["confirm_url"] = confirm_url
        if dispute is not UNSET:
            field_dict["dispute"] = dispute

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        object_ = d.pop("object")

        id = d.pop("id")

        kind = PaymentKind(d.pop("kind"))




        status = PaymentState(d.pop("status"))




        amount_cents = d.pop("amount_cents")

        refunded_cents = d.pop("refunded_cents")

        livemode = d.pop("livemode")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))




        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))




        def _parse_reason(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        reason = _parse_reason(d.pop("reason", UNSET))


        def _parse_client_secret(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        client_secret = _parse_client_secret(d.pop("client_secret", UNSET))


        def _parse_confirm_url(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        confirm_url = _parse_confirm_url(d.pop("confirm_url", UNSET))


        def _parse_dispute(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        dispute = _parse_dispute(d.pop("dispute", UNSET))


        top_up = cls(
            object_=object_,
            id=id,
            kind=kind,
            status=status,
            amount_cents=amount_cents,
            refunded_cents=refunded_cents,
            livemode=livemode,
            created_at=created_at,
            updated_at=updated_at,
            reason=reason,
            client_secret=client_secret,
            confirm_url=confirm_url,
            dispute=dispute,
        )


        top_up.additional_properties = d
        return top_up

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

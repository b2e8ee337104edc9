from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.claim import Claim





T = TypeVar("T", bound="Fact")



@_attrs_define
class Fact:
    """ A statement of a known kind, for example a price or what is included. Measurements are listed in
    `measurements[]`.

    | kind | `value` | `amount`, `unit` |
    |---|---|---|
    | `price` | as stated, for example `940 EUR` | the amount and, if known, the currency as an ISO 4217 code |
    | `date` | ISO 8601, as far as known: `2021`, `2021-03`, `2021-03-12`; without a year `--03` or `--03-12` | – |
    | `time` | 24 hours, for example `22:00` | – |
    | `opening_hours` | in the syntax of OpenStreetMap's `opening_hours`, for example `Mo-Fr 09:00-17:00` | – |
    | `phone` | digits, with a leading `+` if it has one | – |
    | `email`, `url` | lower case, without a trailing `/` | – |
    | `inclusion` | the thing that comes with the space, or does not if `negated` | – |
    | `condition` | the state, for example `renovated` | – |
    | `amenity` | the amenity, for example `parking` | – |
    | `rule` | the thing that is allowed, or is not if `negated`, for example `smoking` | – |
    | `code` | a number or code that names something, for example a room or a tax band | – |
    | `credential` | the secret | – |

        Attributes:
            id (str): `fct_<number>`.
            kind (str): Kind of the fact.
            value (str): The normalised value; the table above gives its form.
            claim (Claim): One statement about the space.
            subject (None | str | Unset): The subject in the words of the source, lower case and without articles, for
                example `rent`
                or `boiler`. Absent if the source names none.
            amount (float | None | Unset): The number in the value.
            unit (None | str | Unset): Unit of the number.
            period (None | str | Unset): Period that a price covers: `hour`, `day`, `night`, `week`, `month` or `year`.
            negated (bool | Unset): True if the source denies it ("the bed does not stay").
            zone_id (None | str | Unset): The zone it is about, an id of `zones[]`.
            board_id (None | str | Unset): The board that it stands on, an id of `boards[]`.
     """

    id: str
    kind: str
    value: str
    claim: Claim
    subject: None | str | Unset = UNSET
    amount: float | None | Unset = UNSET
    unit: None | str | Unset = UNSET
    period: None | str | Unset = UNSET
    negated: bool | Unset = UNSET
    zone_id: None | str | Unset = UNSET
    board_id: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.claim import Claim # noqa: PLC0415
        id = self.id

        kind = self.kind

        value = self.value

        claim = self.claim.to_dict()

        subject: None | str | Unset
        if isinstance(self.subject, Unset):
            subject = UNSET
        else:
            subject = self.subject

        amount: float | None | Unset
        if isinstance(self.amount, Unset):
            amount = UNSET
        else:
            amount = self.amount

        unit: None | str | Unset
        if isinstance(self.unit, Unset):
            unit = UNSET
        else:
            unit = self.unit

        period: None | str | Unset
        if isinstance(self.period, Unset):
            period = UNSET
        else:
            period = self.period

        negated = self.negated

        zone_id: None | str | Unset
        if isinstance(self.zone_id, Unset):
            zone_id = UNSET
        else:
            zone_id = self.zone_id

        board_id: None | str | Unset
        if isinstance(self.board_id, Unset):
            board_id = UNSET
        else:
            board_id = self.board_id


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "kind": kind,
            "value": value,
            "claim": claim,
        })
        if subject is not UNSET:
            field_dict["subject"] = subject
        if amount is not UNSET:
            field_dict["amount"] = amount
        if unit is not UNSET:
            field_dict["unit"] = unit
        if period is not UNSET:
            field_dict["period"] = period
        if negated is not UNSET:
            field_dict["negated"] = negated
        if zone_id is not UNSET:
            field_dict["zone_id"] = zone_id
        if board_id is not UNSET:
            field_dict["board_id"] = board_id

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.claim import Claim # noqa: PLC0415
        d = dict(src_dict)
        id = d.pop("id")

        kind = d.pop("kind")

        value = d.pop("value")

        claim = Claim.from_dict(d.pop("claim"))




        def _parse_subject(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        subject = _parse_subject(d.pop("subject", UNSET))


        def _parse_amount(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        amount = _parse_amount(d.pop("amount", UNSET))


        def _parse_unit(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        unit = _parse_unit(d.pop("unit", UNSET))


        def _parse_period(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        period = _parse_period(d.pop("period", UNSET))


        negated = d.pop("negated", UNSET)

        def _parse_zone_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        zone_id = _parse_zone_id(d.pop("zone_id", UNSET))


        def _parse_board_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        board_id = _parse_board_id(d.pop("board_id", UNSET))


        fact = cls(
            id=id,
            kind=kind,
            value=value,
            claim=claim,
            subject=subject,
            amount=amount,
            unit=unit,
            period=period,
            negated=negated,
            zone_id=zone_id,
            board_id=board_id,
        )


        fact.additional_properties = d
        return fact

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

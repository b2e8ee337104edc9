from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.method import Method
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.claim import Claim





T = TypeVar("T", bound="Measurement")



@_attrs_define
class Measurement:
    """ A measurement, for example a length, an area or a temperature.

        Attributes:
            id (str): `mea_<number>`.
            value (float): The number.
            unit (str): Its unit, for example `m2`, `m` or `ft`.
            method (Method): Method of a measurement. Measurements are never estimated from pixels.
            claim (Claim): One statement about the space.
            zone_id (None | str | Unset): The measured zone, an id of `zones[]`.
     """

    id: str
    value: float
    unit: str
    method: Method
    claim: Claim
    zone_id: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.claim import Claim # noqa: PLC0415
        id = self.id

        value = self.value

        unit = self.unit

        method = self.method.value

        claim = self.claim.to_dict()

        zone_id: None | str | Unset
        if isinstance(self.zone_id, Unset):
            zone_id = UNSET
        else:
            zone_id = self.zone_id


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "value": value,
            "unit": unit,
            "method": method,
            "claim": claim,
        })
        if zone_id is not UNSET:
            field_dict["zone_id"] = zone_id

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.claim import Claim # noqa: PLC0415
        d = dict(src_dict)
        id = d.pop("id")

        value = d.pop("value")

        unit = d.pop("unit")

        method = Method(d.pop("method"))




        claim = Claim.from_dict(d.pop("claim"))




        def _parse_zone_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        zone_id = _parse_zone_id(d.pop("zone_id", UNSET))


        measurement = cls(
            id=id,
            value=value,
            unit=unit,
            method=method,
            claim=claim,
            zone_id=zone_id,
        )


        measurement.additional_properties = d
        return measurement

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

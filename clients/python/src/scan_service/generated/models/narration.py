from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="Narration")



@_attrs_define
class Narration:
    """ A spoken sentence.

        Attributes:
            id (str): `nar_<number>`.
            start_ms (int): Start in milliseconds.
            end_ms (int): End in milliseconds.
            text (str): The sentence.
            source (str): `client` (from the request) or `transcribed`.
            confidence (float): Confidence, 0 to 1.
            run_id (str): The run that transcribed it, an id of `runs[]`.
            zone_id (None | str | Unset): The zone that was in view, an id of `zones[]`.
     """

    id: str
    start_ms: int
    end_ms: int
    text: str
    source: str
    confidence: float
    run_id: str
    zone_id: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        id = self.id

        start_ms = self.start_ms

        end_ms = self.end_ms

        text = self.text

        source = self.source

        confidence = self.confidence

        run_id = self.run_id

        zone_id: None | str | Unset
        if isinstance(self.zone_id, Unset):
            zone_id = UNSET
        else:
            zone_id = self.zone_id


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "start_ms": start_ms,
            "end_ms": end_ms,
            "text": text,
            "source": source,
            "confidence": confidence,
            "run_id": run_id,
        })
        if zone_id is not UNSET:
            field_dict["zone_id"] = zone_id

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        start_ms = d.pop("start_ms")

        end_ms = d.pop("end_ms")

        text = d.pop("text")

        source = d.pop("source")

        confidence = d.pop("confidence")

        run_id = d.pop("run_id")

        def _parse_zone_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        zone_id = _parse_zone_id(d.pop("zone_id", UNSET))


        narration = cls(
            id=id,
            start_ms=start_ms,
            end_ms=end_ms,
            text=text,
            source=source,
            confidence=confidence,
            run_id=run_id,
            zone_id=zone_id,
        )


        narration.additional_properties = d
        return narration

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

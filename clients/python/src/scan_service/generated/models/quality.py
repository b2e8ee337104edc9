from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.interval import Interval
  from ..models.warning import Warning_





T = TypeVar("T", bound="Quality")



@_attrs_define
class Quality:
    """ Quality of the media, and the parts that couldn't be examined.

        Attributes:
            blurred (float): Share of the sampled frames that are too blurred to use, 0 to 1.
            dark (float): Share of the sampled frames that are too dark to use, 0 to 1.
            uncovered (list[Interval]): Stretches without a usable frame.
            warnings (list[Warning_]): Warnings about missing content.
     """

    blurred: float
    dark: float
    uncovered: list[Interval]
    warnings: list[Warning_]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.interval import Interval # noqa: PLC0415
        from ..models.warning import Warning_ # noqa: PLC0415
        blurred = self.blurred

        dark = self.dark

        uncovered = []
        for uncovered_item_data in self.uncovered:
            uncovered_item = uncovered_item_data.to_dict()
            uncovered.append(uncovered_item)



        warnings = []
        for warnings_item_data in self.warnings:
            warnings_item = warnings_item_data.to_dict()
            warnings.append(warnings_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "blurred": blurred,
            "dark": dark,
            "uncovered": uncovered,
            "warnings": warnings,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.interval import Interval # noqa: PLC0415
        from ..models.warning import Warning_ # noqa: PLC0415
        d = dict(src_dict)
        blurred = d.pop("blurred")

        dark = d.pop("dark")

        uncovered = []
        _uncovered = d.pop("uncovered")
        for uncovered_item_data in (_uncovered):
            uncovered_item = Interval.from_dict(uncovered_item_data)



            uncovered.append(uncovered_item)


        warnings = []
        _warnings = d.pop("warnings")
        for warnings_item_data in (_warnings):
            warnings_item = Warning_.from_dict(warnings_item_data)



            warnings.append(warnings_item)


        quality = cls(
            blurred=blurred,
            dark=dark,
            uncovered=uncovered,
            warnings=warnings,
        )


        quality.additional_properties = d
        return quality

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

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.scan_status import ScanStatus
from ..models.stage import Stage
from ..types import UNSET, Unset
from typing import cast
import datetime






T = TypeVar("T", bound="TimelineEntry")



@_attrs_define
class TimelineEntry:
    """ One recorded change of status or stage.

        Attributes:
            status (ScanStatus): Status of a scan.
            at (datetime.datetime):
            stage (None | Stage | Unset):
     """

    status: ScanStatus
    at: datetime.datetime
    stage: None | Stage | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        status = self.status.value

        at = self.at.isoformat()

        stage: None | str | Unset
        if isinstance(self.stage, Unset):
            stage = UNSET
        elif isinstance(self.stage, Stage):
            stage = self.stage.value
        else:
            stage = self.stage


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "status": status,
            "at": at,
        })
        if stage is not UNSET:
            field_dict["stage"] = stage

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        status = ScanStatus(d.pop("status"))




        at = datetime.datetime.fromisoformat(d.pop("at"))




        def _parse_stage(data: object) -> None | Stage | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                stage_type_0 = Stage(data)



                return stage_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Stage | Unset, data)

        stage = _parse_stage(d.pop("stage", UNSET))


        timeline_entry = cls(
            status=status,
            at=at,
            stage=stage,
        )


        timeline_entry.additional_properties = d
        return timeline_entry

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

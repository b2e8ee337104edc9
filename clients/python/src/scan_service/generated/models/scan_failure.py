from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.failure_code import FailureCode
from ..models.stage import Stage
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="ScanFailure")



@_attrs_define
class ScanFailure:
    """ Reason for a failure: the `error` object of a failed scan.

        Attributes:
            code (FailureCode):
            message (str): Message for people. Describes the problem with the media, never internals of the service.
            retryable (bool): Whether a new scan of the same media may succeed.
            stage (None | Stage | Unset):
     """

    code: FailureCode
    message: str
    retryable: bool
    stage: None | Stage | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        code = self.code.value

        message = self.message

        retryable = self.retryable

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
            "code": code,
            "message": message,
            "retryable": retryable,
        })
        if stage is not UNSET:
            field_dict["stage"] = stage

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        code = FailureCode(d.pop("code"))




        message = d.pop("message")

        retryable = d.pop("retryable")

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


        scan_failure = cls(
            code=code,
            message=message,
            retryable=retryable,
            stage=stage,
        )


        scan_failure.additional_properties = d
        return scan_failure

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

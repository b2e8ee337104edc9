from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.frames_scan_input import FramesScanInput
  from ..models.video_scan_input import VideoScanInput





T = TypeVar("T", bound="NewScan")



@_attrs_define
class NewScan:
    """ A new scan.

        Attributes:
            input_ (FramesScanInput | VideoScanInput): Declared input of a scan: one video, or photos in order.
     """

    input_: FramesScanInput | VideoScanInput





    def to_dict(self) -> dict[str, Any]:
        from ..models.frames_scan_input import FramesScanInput # noqa: PLC0415
        from ..models.video_scan_input import VideoScanInput # noqa: PLC0415
        input_: dict[str, Any]
        if isinstance(self.input_, VideoScanInput):
            input_ = self.input_.to_dict()
        else:
            input_ = self.input_.to_dict()



        field_dict: dict[str, Any] = {}

        field_dict.update({
            "input": input_,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.frames_scan_input import FramesScanInput # noqa: PLC0415
        from ..models.video_scan_input import VideoScanInput # noqa: PLC0415
        d = dict(src_dict)
        def _parse_input_(data: object) -> FramesScanInput | VideoScanInput:
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_scan_input_type_0 = VideoScanInput.from_dict(data)



                return componentsschemas_scan_input_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            if not isinstance(data, dict):
                raise TypeError()
            componentsschemas_scan_input_type_1 = FramesScanInput.from_dict(data)



            return componentsschemas_scan_input_type_1

        input_ = _parse_input_(d.pop("input"))


        new_scan = cls(
            input_=input_,
        )

        return new_scan


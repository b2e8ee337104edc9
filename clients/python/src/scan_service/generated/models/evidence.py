from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.b_box import BBox





T = TypeVar("T", bound="Evidence")



@_attrs_define
class Evidence:
    """ A place where a claim can be checked: a frame, a box in a frame, or a narration.

        Attributes:
            media_id (str): The medium, an id of `media[]`.
            score (float): How well this evidence supports the claim, 0 to 1.
            frame_id (None | str | Unset): The frame, an id of `frames[]`.
            t_ms (int | None | Unset): Time in the video, in milliseconds.
            ordinal (int | None | Unset): Index of the photo, starting at 0.
            bbox (BBox | None | Unset):
            narration_id (None | str | Unset): The narration, an id of `narration[]`.
     """

    media_id: str
    score: float
    frame_id: None | str | Unset = UNSET
    t_ms: int | None | Unset = UNSET
    ordinal: int | None | Unset = UNSET
    bbox: BBox | None | Unset = UNSET
    narration_id: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.b_box import BBox # noqa: PLC0415
        media_id = self.media_id

        score = self.score

        frame_id: None | str | Unset
        if isinstance(self.frame_id, Unset):
            frame_id = UNSET
        else:
            frame_id = self.frame_id

        t_ms: int | None | Unset
        if isinstance(self.t_ms, Unset):
            t_ms = UNSET
        else:
            t_ms = self.t_ms

        ordinal: int | None | Unset
        if isinstance(self.ordinal, Unset):
            ordinal = UNSET
        else:
            ordinal = self.ordinal

        bbox: dict[str, Any] | None | Unset
        if isinstance(self.bbox, Unset):
            bbox = UNSET
        elif isinstance(self.bbox, BBox):
            bbox = self.bbox.to_dict()
        else:
            bbox = self.bbox

        narration_id: None | str | Unset
        if isinstance(self.narration_id, Unset):
            narration_id = UNSET
        else:
            narration_id = self.narration_id


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "media_id": media_id,
            "score": score,
        })
        if frame_id is not UNSET:
            field_dict["frame_id"] = frame_id
        if t_ms is not UNSET:
            field_dict["t_ms"] = t_ms
        if ordinal is not UNSET:
            field_dict["ordinal"] = ordinal
        if bbox is not UNSET:
            field_dict["bbox"] = bbox
        if narration_id is not UNSET:
            field_dict["narration_id"] = narration_id

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.b_box import BBox # noqa: PLC0415
        d = dict(src_dict)
        media_id = d.pop("media_id")

        score = d.pop("score")

        def _parse_frame_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        frame_id = _parse_frame_id(d.pop("frame_id", UNSET))


        def _parse_t_ms(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        t_ms = _parse_t_ms(d.pop("t_ms", UNSET))


        def _parse_ordinal(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        ordinal = _parse_ordinal(d.pop("ordinal", UNSET))


        def _parse_bbox(data: object) -> BBox | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                bbox_type_0 = BBox.from_dict(data)



                return bbox_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(BBox | None | Unset, data)

        bbox = _parse_bbox(d.pop("bbox", UNSET))


        def _parse_narration_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        narration_id = _parse_narration_id(d.pop("narration_id", UNSET))


        evidence = cls(
            media_id=media_id,
            score=score,
            frame_id=frame_id,
            t_ms=t_ms,
            ordinal=ordinal,
            bbox=bbox,
            narration_id=narration_id,
        )


        evidence.additional_properties = d
        return evidence

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

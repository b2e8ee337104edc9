from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="Medium")



@_attrs_define
class Medium:
    """ One medium of the scan.

        Attributes:
            id (str): `med_video`, or `med_photo_<ordinal>`.
            kind (str): `video` or `photo`.
            sha256 (str): SHA-256 of the file, in hex.
            bytes_ (int): Size in bytes.
            width (int): Width in pixels, after rotation.
            height (int): Height in pixels, after rotation.
            has_audio (bool): Whether it has an audio track.
            ordinal (int | None | Unset): Index of the photo, starting at 0.
            duration_ms (int | None | Unset): Duration of the video, in milliseconds.
            fps (float | None | Unset): Frames per second of the video.
            url (None | str | Unset): Signed URL of a video that is still kept, valid for one hour. Only in responses, never
                stored.
     """

    id: str
    kind: str
    sha256: str
    bytes_: int
    width: int
    height: int
    has_audio: bool
    ordinal: int | None | Unset = UNSET
    duration_ms: int | None | Unset = UNSET
    fps: float | None | Unset = UNSET
    url: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        id = self.id

        kind = self.kind

        sha256 = self.sha256

        bytes_ = self.bytes_

        width = self.width

        height = self.height

        has_audio = self.has_audio

        ordinal: int | None | Unset
        if isinstance(self.ordinal, Unset):
            ordinal = UNSET
        else:
            ordinal = self.ordinal

        duration_ms: int | None | Unset
        if isinstance(self.duration_ms, Unset):
            duration_ms = UNSET
        else:
            duration_ms = self.duration_ms

        fps: float | None | Unset
        if isinstance(self.fps, Unset):
            fps = UNSET
        else:
            fps = self.fps

        url: None | str | Unset
        if isinstance(self.url, Unset):
            url = UNSET
        else:
            url = self.url


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "kind": kind,
            "sha256": sha256,
            "bytes": bytes_,
            "width": width,
            "height": height,
            "has_audio": has_audio,
        })
        if ordinal is not UNSET:
            field_dict["ordinal"] = ordinal
        if duration_ms is not UNSET:
            field_dict["duration_ms"] = duration_ms
        if fps is not UNSET:
            field_dict["fps"] = fps
        if url is not UNSET:
            field_dict["url"] = url

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        kind = d.pop("kind")

        sha256 = d.pop("sha256")

        bytes_ = d.pop("bytes")

        width = d.pop("width")

        height = d.pop("height")

        has_audio = d.pop("has_audio")

        def _parse_ordinal(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        ordinal = _parse_ordinal(d.pop("ordinal", UNSET))


        def _parse_duration_ms(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        duration_ms = _parse_duration_ms(d.pop("duration_ms", UNSET))


        def _parse_fps(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        fps = _parse_fps(d.pop("fps", UNSET))


        def _parse_url(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        url = _parse_url(d.pop("url", UNSET))


        medium = cls(
            id=id,
            kind=kind,
            sha256=sha256,
            bytes_=bytes_,
            width=width,
            height=height,
            has_audio=has_audio,
            ordinal=ordinal,
            duration_ms=duration_ms,
            fps=fps,
            url=url,
        )


        medium.additional_properties = d
        return medium

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

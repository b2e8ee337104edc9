from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="Frame")



@_attrs_define
class Frame:
    """ A frame that is kept as evidence.

        Attributes:
            id (str): `frm_<number in order, 5 digits>`.
            media_id (str): The medium, an id of `media[]`.
            width (int): Width of the stored picture, in pixels.
            height (int): Height of the stored picture, in pixels.
            sharpness (float): Variance of the Laplacian of the grayscale picture. Higher is sharper.
            exposure (float): Mean luma, 0 (black) to 1 (white).
            hash_ (str): Perceptual hash, 16 hex digits.
            kept_because (str): Reason why it was kept: `first`, `new_view`, `sharper`, `interval` or `photo`.
            key (str): Storage key of the picture. Responses carry a signed `url` beside it.
            t_ms (int | None | Unset): Time in the video in milliseconds, or the photo's declared time.
            ordinal (int | None | Unset): Index of the photo, starting at 0.
            zone_id (None | str | Unset): The zone it shows, an id of `zones[]`.
            url (None | str | Unset): Signed URL of the picture, valid for one hour. Only in responses, never stored.
     """

    id: str
    media_id: str
    width: int
    height: int
    sharpness: float
    exposure: float
    hash_: str
    kept_because: str
    key: str
    t_ms: int | None | Unset = UNSET
    ordinal: int | None | Unset = UNSET
    zone_id: None | str | Unset = UNSET
    url: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        id = self.id

        media_id = self.media_id

        width = self.width

        height = self.height

        sharpness = self.sharpness

        exposure = self.exposure

        hash_ = self.hash_

        kept_because = self.kept_because

        key = self.key

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

        zone_id: None | str | Unset
        if isinstance(self.zone_id, Unset):
            zone_id = UNSET
        else:
            zone_id = self.zone_id

        url: None | str | Unset
        if isinstance(self.url, Unset):
            url = UNSET
        else:
            url = self.url


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "media_id": media_id,
            "width": width,
            "height": height,
            "sharpness": sharpness,
            "exposure": exposure,
            "hash": hash_,
            "kept_because": kept_because,
            "key": key,
        })
        if t_ms is not UNSET:
            field_dict["t_ms"] = t_ms
        if ordinal is not UNSET:
            field_dict["ordinal"] = ordinal
        if zone_id is not UNSET:
            field_dict["zone_id"] = zone_id
        if url is not UNSET:
            field_dict["url"] = url

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        media_id = d.pop("media_id")

        width = d.pop("width")

        height = d.pop("height")

        sharpness = d.pop("sharpness")

        exposure = d.pop("exposure")

        hash_ = d.pop("hash")

        kept_because = d.pop("kept_because")

        key = d.pop("key")

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


        def _parse_zone_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        zone_id = _parse_zone_id(d.pop("zone_id", UNSET))


        def _parse_url(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        url = _parse_url(d.pop("url", UNSET))


        frame = cls(
            id=id,
            media_id=media_id,
            width=width,
            height=height,
            sharpness=sharpness,
            exposure=exposure,
            hash_=hash_,
            kept_because=kept_because,
            key=key,
            t_ms=t_ms,
            ordinal=ordinal,
            zone_id=zone_id,
            url=url,
        )


        frame.additional_properties = d
        return frame

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

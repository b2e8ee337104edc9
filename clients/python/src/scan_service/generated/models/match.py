from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.entry_kind import EntryKind
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="Match")



@_attrs_define
class Match:
    """ A matching part of a space.

        Attributes:
            kind (EntryKind): Source of an index entry.
            id (str): Id of the part in the document, or of the space.
            text (str): Shortened text.
            zone_id (None | str | Unset): Zone that contains the part.
            frame_id (None | str | Unset): Frame that shows the part.
            t_ms (int | None | Unset): Position in the video, in milliseconds.
            ordinal (int | None | Unset): Number of the photo.
            url (None | str | Unset): Signed URL of the frame, valid for one hour.
     """

    kind: EntryKind
    id: str
    text: str
    zone_id: None | str | Unset = UNSET
    frame_id: None | str | Unset = UNSET
    t_ms: int | None | Unset = UNSET
    ordinal: int | None | Unset = UNSET
    url: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        kind = self.kind.value

        id = self.id

        text = self.text

        zone_id: None | str | Unset
        if isinstance(self.zone_id, Unset):
            zone_id = UNSET
        else:
            zone_id = self.zone_id

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

        url: None | str | Unset
        if isinstance(self.url, Unset):
            url = UNSET
        else:
            url = self.url


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "kind": kind,
            "id": id,
            "text": text,
        })
        if zone_id is not UNSET:
            field_dict["zone_id"] = zone_id
        if frame_id is not UNSET:
            field_dict["frame_id"] = frame_id
        if t_ms is not UNSET:
            field_dict["t_ms"] = t_ms
        if ordinal is not UNSET:
            field_dict["ordinal"] = ordinal
        if url is not UNSET:
            field_dict["url"] = url

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        kind = EntryKind(d.pop("kind"))




        id = d.pop("id")

        text = d.pop("text")

        def _parse_zone_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        zone_id = _parse_zone_id(d.pop("zone_id", UNSET))


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


        def _parse_url(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        url = _parse_url(d.pop("url", UNSET))


        match = cls(
            kind=kind,
            id=id,
            text=text,
            zone_id=zone_id,
            frame_id=frame_id,
            t_ms=t_ms,
            ordinal=ordinal,
            url=url,
        )


        match.additional_properties = d
        return match

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

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="SpaceChanges")



@_attrs_define
class SpaceChanges:
    """ Changes to a space.

        Attributes:
            name (None | str | Unset): New name, 1 to 200 characters.
            space_type (None | str | Unset): New type label, 1 to 64 characters.
            external_id (None | str | Unset): New reference, at most 128 characters; null removes it.
            description (None | str | Unset): New description, at most 5000 characters; null removes it.
     """

    name: None | str | Unset = UNSET
    space_type: None | str | Unset = UNSET
    external_id: None | str | Unset = UNSET
    description: None | str | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        name: None | str | Unset
        if isinstance(self.name, Unset):
            name = UNSET
        else:
            name = self.name

        space_type: None | str | Unset
        if isinstance(self.space_type, Unset):
            space_type = UNSET
        else:
            space_type = self.space_type

        external_id: None | str | Unset
        if isinstance(self.external_id, Unset):
            external_id = UNSET
        else:
            external_id = self.external_id

        description: None | str | Unset
        if isinstance(self.description, Unset):
            description = UNSET
        else:
            description = self.description


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if name is not UNSET:
            field_dict["name"] = name
        if space_type is not UNSET:
            field_dict["space_type"] = space_type
        if external_id is not UNSET:
            field_dict["external_id"] = external_id
        if description is not UNSET:
            field_dict["description"] = description

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        def _parse_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        name = _parse_name(d.pop("name", UNSET))


        def _parse_space_type(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        space_type = _parse_space_type(d.pop("space_type", UNSET))


        def _parse_external_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        external_id = _parse_external_id(d.pop("external_id", UNSET))


        def _parse_description(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        description = _parse_description(d.pop("description", UNSET))


        space_changes = cls(
            name=name,
            space_type=space_type,
            external_id=external_id,
            description=description,
        )

        return space_changes


from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="NewSpace")



@_attrs_define
class NewSpace:
    """ Request body of `POST /spaces`.

        Attributes:
            name (str): Name, 1 to 200 characters.
            space_type (str): A type label, 1 to 64 characters, for example `apartment` or `office`.
            external_id (None | str | Unset): Reference of the caller, at most 128 characters.
            description (None | str | Unset): Description, at most 5000 characters.
     """

    name: str
    space_type: str
    external_id: None | str | Unset = UNSET
    description: None | str | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        name = self.name

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
            "name": name,
            "space_type": space_type,
        })
        if external_id is not UNSET:
            field_dict["external_id"] = external_id
        if description is not UNSET:
            field_dict["description"] = description

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        space_type = d.pop("space_type")

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


        new_space = cls(
            name=name,
            space_type=space_type,
            external_id=external_id,
            description=description,
        )

        return new_space


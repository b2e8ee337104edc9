from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="HiddenParts")



@_attrs_define
class HiddenParts:
    """ What the owner of a shared document hides.

        Attributes:
            credentials (bool): Whether passwords, PINs, door codes and network keys are left out.
            persons (bool): Whether persons are left out.
            frames (int): Number of frames without a picture, because they show something hidden.
     """

    credentials: bool
    persons: bool
    frames: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        credentials = self.credentials

        persons = self.persons

        frames = self.frames


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "credentials": credentials,
            "persons": persons,
            "frames": frames,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        credentials = d.pop("credentials")

        persons = d.pop("persons")

        frames = d.pop("frames")

        hidden_parts = cls(
            credentials=credentials,
            persons=persons,
            frames=frames,
        )


        hidden_parts.additional_properties = d
        return hidden_parts

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

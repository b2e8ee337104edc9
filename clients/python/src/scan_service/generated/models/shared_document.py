from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.hidden_parts import HiddenParts
  from ..models.space_document import SpaceDocument





T = TypeVar("T", bound="SharedDocument")



@_attrs_define
class SharedDocument:
    """ A document that its owner shares.

        Attributes:
            object_ (str): Always `shared_document`.
            name (str): Name of the space.
            space_type (str): Type of the space, for example `apartment`.
            scanned_at (datetime.datetime):
            expires_at (datetime.datetime):
            hidden (HiddenParts): What the owner of a shared document hides.
            document (SpaceDocument): The facts about a space after one scan.
     """

    object_: str
    name: str
    space_type: str
    scanned_at: datetime.datetime
    expires_at: datetime.datetime
    hidden: HiddenParts
    document: SpaceDocument
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.hidden_parts import HiddenParts # noqa: PLC0415
        from ..models.space_document import SpaceDocument # noqa: PLC0415
        object_ = self.object_

        name = self.name

        space_type = self.space_type

        scanned_at = self.scanned_at.isoformat()

        expires_at = self.expires_at.isoformat()

        hidden = self.hidden.to_dict()

        document = self.document.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "object": object_,
            "name": name,
            "space_type": space_type,
            "scanned_at": scanned_at,
            "expires_at": expires_at,
            "hidden": hidden,
            "document": document,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.hidden_parts import HiddenParts # noqa: PLC0415
        from ..models.space_document import SpaceDocument # noqa: PLC0415
        d = dict(src_dict)
        object_ = d.pop("object")

        name = d.pop("name")

        space_type = d.pop("space_type")

        scanned_at = datetime.datetime.fromisoformat(d.pop("scanned_at"))




        expires_at = datetime.datetime.fromisoformat(d.pop("expires_at"))




        hidden = HiddenParts.from_dict(d.pop("hidden"))




        document = SpaceDocument.from_dict(d.pop("document"))




        shared_document = cls(
            object_=object_,
            name=name,
            space_type=space_type,
            scanned_at=scanned_at,
            expires_at=expires_at,
            hidden=hidden,
            document=document,
        )


        shared_document.additional_properties = d
        return shared_document

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

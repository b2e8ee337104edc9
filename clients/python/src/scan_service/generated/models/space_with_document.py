from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.space_document import SpaceDocument





T = TypeVar("T", bound="SpaceWithDocument")



@_attrs_define
class SpaceWithDocument:
    """ A space with the document of its last complete scan.

        Attributes:
            object_ (str): Always `space`.
            id (str):
            source (str): `api` for spaces created through this API.
            livemode (bool): Whether it belongs to live mode; the mode of the key that created it.
            name (str): Name of the space.
            space_type (str): Type of the space, for example `apartment`.
            created_at (datetime.datetime):
            updated_at (datetime.datetime):
            description (None | str | Unset): Free text.
            external_id (None | str | Unset): Your own reference.
            document (None | SpaceDocument | Unset):
            document_revision (int | None | Unset): Number of the document in the space, counted from 1; null before the
                first.
            scan_id (None | str | Unset):
     """

    object_: str
    id: str
    source: str
    livemode: bool
    name: str
    space_type: str
    created_at: datetime.datetime
    updated_at: datetime.datetime
    description: None | str | Unset = UNSET
    external_id: None | str | Unset = UNSET
    document: None | SpaceDocument | Unset = UNSET
    document_revision: int | None | Unset = UNSET
    scan_id: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.space_document import SpaceDocument # noqa: PLC0415
        object_ = self.object_

        id = self.id

        source = self.source

        livemode = self.livemode

        name = self.name

        space_type = self.space_type

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        description: None | str | Unset
        if isinstance(self.description, Unset):
            description = UNSET
        else:
            description = self.description

        external_id: None | str | Unset
        if isinstance(self.external_id, Unset):
            external_id = UNSET
        else:
            external_id = self.external_id

        document: dict[str, Any] | None | Unset
        if isinstance(self.document, Unset):
            document = UNSET
        elif isinstance(self.document, SpaceDocument):
            document = self.document.to_dict()
        else:
            document = self.document

        document_revision: int | None | Unset
        if isinstance(self.document_revision, Unset):
            document_revision = UNSET
        else:
            document_revision = self.document_revision

        scan_id: None | str | Unset
        if isinstance(self.scan_id, Unset):
            scan_id = UNSET
        else:
            scan_id = self.scan_id


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "object": object_,
            "id": id,
            "source": source,
            "livemode": livemode,
            "name": name,
            "space_type": space_type,
            "created_at": created_at,
            "updated_at": updated_at,
        })
        if description is not UNSET:
            field_dict["description"] = description
        if external_id is not UNSET:
            field_dict["external_id"] = external_id
        if document is not UNSET:
            field_dict["document"] = document
        if document_revision is not UNSET:
            field_dict["document_revision"] = document_revision
        if scan_id is not UNSET:
            field_dict["scan_id"] = scan_id

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.space_document import SpaceDocument # noqa: PLC0415
        d = dict(src_dict)
        object_ = d.pop("object")

        id = d.pop("id")

        source = d.pop("source")

        livemode = d.pop("livemode")

        name = d.pop("name")

        space_type = d.pop("space_type")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))




        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))




        def _parse_description(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        description = _parse_description(d.pop("description", UNSET))


        def _parse_external_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        external_id = _parse_external_id(d.pop("external_id", UNSET))


        def _parse_document(data: object) -> None | SpaceDocument | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                document_type_0 = SpaceDocument.from_dict(data)



                return document_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | SpaceDocument | Unset, data)

        document = _parse_document(d.pop("document", UNSET))


        def _parse_document_revision(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        document_revision = _parse_document_revision(d.pop("document_revision", UNSET))


        def _parse_scan_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        scan_id = _parse_scan_id(d.pop("scan_id", UNSET))


        space_with_document = cls(
            object_=object_,
            id=id,
            source=source,
            livemode=livemode,
            name=name,
            space_type=space_type,
            created_at=created_at,
            updated_at=updated_at,
            description=description,
            external_id=external_id,
            document=document,
            document_revision=document_revision,
            scan_id=scan_id,
        )


        space_with_document.additional_properties = d
        return space_with_document

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

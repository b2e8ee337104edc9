from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.skill_file import SkillFile





T = TypeVar("T", bound="Skill")



@_attrs_define
class Skill:
    """ An Agent Skill: a folder of files for agents.

        Attributes:
            object_ (str): Always `skill`.
            name (str): Name of the skill and of its folder.
            scan_id (str):
            files (list[SkillFile]): Its files, `SKILL.md` first.
     """

    object_: str
    name: str
    scan_id: str
    files: list[SkillFile]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.skill_file import SkillFile # noqa: PLC0415
        object_ = self.object_

        name = self.name

        scan_id = self.scan_id

        files = []
        for files_item_data in self.files:
            files_item = files_item_data.to_dict()
            files.append(files_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "object": object_,
            "name": name,
            "scan_id": scan_id,
            "files": files,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.skill_file import SkillFile # noqa: PLC0415
        d = dict(src_dict)
        object_ = d.pop("object")

        name = d.pop("name")

        scan_id = d.pop("scan_id")

        files = []
        _files = d.pop("files")
        for files_item_data in (_files):
            files_item = SkillFile.from_dict(files_item_data)



            files.append(files_item)


        skill = cls(
            object_=object_,
            name=name,
            scan_id=scan_id,
            files=files,
        )


        skill.additional_properties = d
        return skill

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

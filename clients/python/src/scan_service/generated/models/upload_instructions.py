from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.input_kind import InputKind
from ..types import UNSET, Unset
from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.upload_instructions_headers import UploadInstructionsHeaders





T = TypeVar("T", bound="UploadInstructions")



@_attrs_define
class UploadInstructions:
    """ Instructions for uploading the media of a scan.

        Attributes:
            kind (InputKind): Kind of the scan input: a video or ordered photos.
            method (str): Always `PUT`.
            headers (UploadInstructionsHeaders): Headers to send with the upload.
            expires_at (datetime.datetime):
            url (None | str | Unset): URL for the video.
            url_template (None | str | Unset): URL template for photos: `{index}` stands for the photo's index, starting at
                0.
     """

    kind: InputKind
    method: str
    headers: UploadInstructionsHeaders
    expires_at: datetime.datetime
    url: None | str | Unset = UNSET
    url_template: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.upload_instructions_headers import UploadInstructionsHeaders # noqa: PLC0415
        kind = self.kind.value

        method = self.method

        headers = self.headers.to_dict()

        expires_at = self.expires_at.isoformat()

        url: None | str | Unset
        if isinstance(self.url, Unset):
            url = UNSET
        else:
            url = self.url

        url_template: None | str | Unset
        if isinstance(self.url_template, Unset):
            url_template = UNSET
        else:
            url_template = self.url_template


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "kind": kind,
            "method": method,
            "headers": headers,
            "expires_at": expires_at,
        })
        if url is not UNSET:
            field_dict["url"] = url
        if url_template is not UNSET:
            field_dict["url_template"] = url_template

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.upload_instructions_headers import UploadInstructionsHeaders # noqa: PLC0415
        d = dict(src_dict)
        kind = InputKind(d.pop("kind"))




        method = d.pop("method")

        headers = UploadInstructionsHeaders.from_dict(d.pop("headers"))




        expires_at = datetime.datetime.fromisoformat(d.pop("expires_at"))




        def _parse_url(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        url = _parse_url(d.pop("url", UNSET))


        def _parse_url_template(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        url_template = _parse_url_template(d.pop("url_template", UNSET))


        upload_instructions = cls(
            kind=kind,
            method=method,
            headers=headers,
            expires_at=expires_at,
            url=url,
            url_template=url_template,
        )


        upload_instructions.additional_properties = d
        return upload_instructions

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

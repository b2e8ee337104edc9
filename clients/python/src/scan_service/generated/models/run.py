from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.run_parameters import RunParameters





T = TypeVar("T", bound="Run")



@_attrs_define
class Run:
    """ One run of a model or an algorithm.

        Attributes:
            id (str): `run_<task>`, or `run_endpoint_<task>` for an endpoint.
            task (str): Task, for example `frames`, `zones`, `text`, `speech`, `light` or `objects`.
            provider (str): `signal`, `packaged`, `endpoint` or `client`.
            model (str): Name of the model or algorithm.
            version (str): Version of the model or algorithm.
            parameters (RunParameters): Settings of the run.
            weights_sha256 (None | str | Unset): SHA-256 of the model's weights, in hex.
            can_know (list[str] | Unset): Classes that the run can detect, if they are a closed list. A class outside the
                list is
                unknown, not absent.
     """

    id: str
    task: str
    provider: str
    model: str
    version: str
    parameters: RunParameters
    weights_sha256: None | str | Unset = UNSET
    can_know: list[str] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.run_parameters import RunParameters # noqa: PLC0415
        id = self.id

        task = self.task

        provider = self.provider

        model = self.model

        version = self.version

        parameters = self.parameters.to_dict()

        weights_sha256: None | str | Unset
        if isinstance(self.weights_sha256, Unset):
            weights_sha256 = UNSET
        else:
            weights_sha256 = self.weights_sha256

        can_know: list[str] | Unset = UNSET
        if not isinstance(self.can_know, Unset):
            can_know = self.can_know




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "task": task,
            "provider": provider,
            "model": model,
            "version": version,
            "parameters": parameters,
        })
        if weights_sha256 is not UNSET:
            field_dict["weights_sha256"] = weights_sha256
        if can_know is not UNSET:
            field_dict["can_know"] = can_know

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.run_parameters import RunParameters # noqa: PLC0415
        d = dict(src_dict)
        id = d.pop("id")

        task = d.pop("task")

        provider = d.pop("provider")

        model = d.pop("model")

        version = d.pop("version")

        parameters = RunParameters.from_dict(d.pop("parameters"))




        def _parse_weights_sha256(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        weights_sha256 = _parse_weights_sha256(d.pop("weights_sha256", UNSET))


        can_know = cast(list[str], d.pop("can_know", UNSET))


        run = cls(
            id=id,
            task=task,
            provider=provider,
            model=model,
            version=version,
            parameters=parameters,
            weights_sha256=weights_sha256,
            can_know=can_know,
        )


        run.additional_properties = d
        return run

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

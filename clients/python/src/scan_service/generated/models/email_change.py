from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="EmailChange")



@_attrs_define
class EmailChange:
    """ A new e-mail address.

        Attributes:
            password (str): The user's password.
            email (str): ASCII only; case-insensitive.
     """

    password: str
    email: str





    def to_dict(self) -> dict[str, Any]:
        password = self.password

        email = self.email


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "password": password,
            "email": email,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        password = d.pop("password")

        email = d.pop("email")

        email_change = cls(
            password=password,
            email=email,
        )

        return email_change


from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="CompletedCardForm")



@_attrs_define
class CompletedCardForm:
    """ A form that the customer has completed.

        Attributes:
            card_form (str): Id of the form, the parameter `card_form` of the page to which the bank returned.
     """

    card_form: str





    def to_dict(self) -> dict[str, Any]:
        card_form = self.card_form


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "card_form": card_form,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        card_form = d.pop("card_form")

        completed_card_form = cls(
            card_form=card_form,
        )

        return completed_card_form


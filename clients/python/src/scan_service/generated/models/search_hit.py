from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.match import Match
  from ..models.space import Space





T = TypeVar("T", bound="SearchHit")



@_attrs_define
class SearchHit:
    """ A space that matches the query.

        Attributes:
            object_ (str): Always `search_hit`.
            space (Space): A physical space.
            scan_id (str):
            score (float): Relevance. Comparable between hits of one query only; higher is better.
            matches (list[Match]): The best matching parts of the space, at most three.
     """

    object_: str
    space: Space
    scan_id: str
    score: float
    matches: list[Match]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.match import Match # noqa: PLC0415
        from ..models.space import Space # noqa: PLC0415
        object_ = self.object_

        space = self.space.to_dict()

        scan_id = self.scan_id

        score = self.score

        matches = []
        for matches_item_data in self.matches:
            matches_item = matches_item_data.to_dict()
            matches.append(matches_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "object": object_,
            "space": space,
            "scan_id": scan_id,
            "score": score,
            "matches": matches,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.match import Match # noqa: PLC0415
        from ..models.space import Space # noqa: PLC0415
        d = dict(src_dict)
        object_ = d.pop("object")

        space = Space.from_dict(d.pop("space"))




        scan_id = d.pop("scan_id")

        score = d.pop("score")

        matches = []
        _matches = d.pop("matches")
        for matches_item_data in (_matches):
            matches_item = Match.from_dict(matches_item_data)



            matches.append(matches_item)


        search_hit = cls(
            object_=object_,
            space=space,
            scan_id=scan_id,
            score=score,
            matches=matches,
        )


        search_hit.additional_properties = d
        return search_hit

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

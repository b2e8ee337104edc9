from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.input_kind import InputKind
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.applied_correction import AppliedCorrection
  from ..models.board import Board
  from ..models.fact import Fact
  from ..models.frame import Frame
  from ..models.measurement import Measurement
  from ..models.medium import Medium
  from ..models.narration import Narration
  from ..models.opening import Opening
  from ..models.privacy_flag import PrivacyFlag
  from ..models.quality import Quality
  from ..models.relation import Relation
  from ..models.run import Run
  from ..models.sentence import Sentence
  from ..models.space_object import SpaceObject
  from ..models.text import Text
  from ..models.zone import Zone





T = TypeVar("T", bound="SpaceDocument")



@_attrs_define
class SpaceDocument:
    """ The facts about a space after one scan.

        Attributes:
            schema_version (str): Version of the schema.
            kind (InputKind): Kind of the scan input: a video or ordered photos.
            language (str): Declared language, as a BCP 47 tag.
            media (list[Medium]): Media of the scan.
            frames (list[Frame]): Frames that are kept as evidence.
            zones (list[Zone]): Areas of the space, usually rooms.
            openings (list[Opening]): Passages between zones.
            objects (list[SpaceObject]): Objects in the space.
            texts (list[Text]): Texts in the pictures.
            narration (list[Narration]): Spoken sentences.
            measurements (list[Measurement]): Measurements that were read or spoken.
            relations (list[Relation]): Relations between parts of the document.
            summary (list[Sentence]): Summary of the space, in a few sentences.
            quality (Quality): Quality of the media, and the parts that couldn't be examined.
            runs (list[Run]): Runs of models and algorithms.
            boards (list[Board] | Unset): Lines of text that belong together. Since 1.1.
            facts (list[Fact] | Unset): Prices, dates, hours, contacts, inclusions and other statements in texts and
                narration. Since
                1.1.
            privacy (list[PrivacyFlag] | Unset): Frames and texts to handle with care. Since 1.1.
            corrections (list[AppliedCorrection] | Unset): Corrections by the owner that this document contains. Only in
                responses; the stored document
                stays as the scan wrote it.
     """

    schema_version: str
    kind: InputKind
    language: str
    media: list[Medium]
    frames: list[Frame]
    zones: list[Zone]
    openings: list[Opening]
    objects: list[SpaceObject]
    texts: list[Text]
    narration: list[Narration]
    measurements: list[Measurement]
    relations: list[Relation]
    summary: list[Sentence]
    quality: Quality
    runs: list[Run]
    boards: list[Board] | Unset = UNSET
    facts: list[Fact] | Unset = UNSET
    privacy: list[PrivacyFlag] | Unset = UNSET
    corrections: list[AppliedCorrection] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.applied_correction import AppliedCorrection # noqa: PLC0415
        from ..models.board import Board # noqa: PLC0415
        from ..models.fact import Fact # noqa: PLC0415
        from ..models.frame import Frame # noqa: PLC0415
        from ..models.measurement import Measurement # noqa: PLC0415
        from ..models.medium import Medium # noqa: PLC0415
        from ..models.narration import Narration # noqa: PLC0415
        from ..models.opening import Opening # noqa: PLC0415
        from ..models.privacy_flag import PrivacyFlag # noqa: PLC0415
        from ..models.quality import Quality # noqa: PLC0415
        from ..models.relation import Relation # noqa: PLC0415
        from ..models.run import Run # noqa: PLC0415
        from ..models.sentence import Sentence # noqa: PLC0415
        from ..models.space_object import SpaceObject # noqa: PLC0415
        from ..models.text import Text # noqa: PLC0415
        from ..models.zone import Zone # noqa: PLC0415
        schema_version = self.schema_version

        kind = self.kind.value

        language = self.language

        media = []
        for media_item_data in self.media:
            media_item = media_item_data.to_dict()
            media.append(media_item)



        frames = []
        for frames_item_data in self.frames:
            frames_item = frames_item_data.to_dict()
            frames.append(frames_item)



        zones = []
        for zones_item_data in self.zones:
            zones_item = zones_item_data.to_dict()
            zones.append(zones_item)



        openings = []
        for openings_item_data in self.openings:
            openings_item = openings_item_data.to_dict()
            openings.append(openings_item)



        objects = []
        for objects_item_data in self.objects:
            objects_item = objects_item_data.to_dict()
            objects.append(objects_item)



        texts = []
        for texts_item_data in self.texts:
            texts_item = texts_item_data.to_dict()
            texts.append(texts_item)



        narration = []
        for narration_item_data in self.narration:
            narration_item = narration_item_data.to_dict()
            narration.append(narration_item)



        measurements = []
        for measurements_item_data in self.measurements:
            measurements_item = measurements_item_data.to_dict()
            measurements.append(measurements_item)



        relations = []
        for relations_item_data in self.relations:
            relations_item = relations_item_data.to_dict()
            relations.append(relations_item)



        summary = []
        for summary_item_data in self.summary:
            summary_item = summary_item_data.to_dict()
            summary.append(summary_item)



        quality = self.quality.to_dict()

        runs = []
        for runs_item_data in self.runs:
            runs_item = runs_item_data.to_dict()
            runs.append(runs_item)



        boards: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.boards, Unset):
            boards = []
            for boards_item_data in self.boards:
                boards_item = boards_item_data.to_dict()
                boards.append(boards_item)



        facts: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.facts, Unset):
            facts = []
            for facts_item_data in self.facts:
                facts_item = facts_item_data.to_dict()
                facts.append(facts_item)



        privacy: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.privacy, Unset):
            privacy = []
            for privacy_item_data in self.privacy:
                privacy_item = privacy_item_data.to_dict()
                privacy.append(privacy_item)



        corrections: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.corrections, Unset):
            corrections = []
            for corrections_item_data in self.corrections:
                corrections_item = corrections_item_data.to_dict()
                corrections.append(corrections_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "schema_version": schema_version,
            "kind": kind,
            "language": language,
            "media": media,
            "frames": frames,
            "zones": zones,
            "openings": openings,
            "objects": objects,
            "texts": texts,
            "narration": narration,
            "measurements": measurements,
            "relations": relations,
            "summary": summary,
            "quality": quality,
            "runs": runs,
        })
        if boards is not UNSET:
            field_dict["boards"] = boards
        if facts is not UNSET:
            field_dict["facts"] = facts
        if privacy is not UNSET:
            field_dict["privacy"] = privacy
        if corrections is not UNSET:
            field_dict["corrections"] = corrections

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.applied_correction import AppliedCorrection # noqa: PLC0415
        from ..models.board import Board # noqa: PLC0415
        from ..models.fact import Fact # noqa: PLC0415
        from ..models.frame import Frame # noqa: PLC0415
        from ..models.measurement import Measurement # noqa: PLC0415
        from ..models.medium import Medium # noqa: PLC0415
        from ..models.narration import Narration # noqa: PLC0415
        from ..models.opening import Opening # noqa: PLC0415
        from ..models.privacy_flag import PrivacyFlag # noqa: PLC0415
        from ..models.quality import Quality # noqa: PLC0415
        from ..models.relation import Relation # noqa: PLC0415
        from ..models.run import Run # noqa: PLC0415
        from ..models.sentence import Sentence # noqa: PLC0415
        from ..models.space_object import SpaceObject # noqa: PLC0415
        from ..models.text import Text # noqa: PLC0415
        from ..models.zone import Zone # noqa: PLC0415
        d = dict(src_dict)
        schema_version = d.pop("schema_version")

        kind = InputKind(d.pop("kind"))




        language = d.pop("language")

        media = []
        _media = d.pop("media")
        for media_item_data in (_media):
            media_item = Medium.from_dict(media_item_data)



            media.append(media_item)


        frames = []
        _frames = d.pop("frames")
        for frames_item_data in (_frames):
            frames_item = Frame.from_dict(frames_item_data)



            frames.append(frames_item)


        zones = []
        _zones = d.pop("zones")
        for zones_item_data in (_zones):
            zones_item = Zone.from_dict(zones_item_data)



            zones.append(zones_item)


        openings = []
        _openings = d.pop("openings")
        for openings_item_data in (_openings):
            openings_item = Opening.from_dict(openings_item_data)



            openings.append(openings_item)


        objects = []
        _objects = d.pop("objects")
        for objects_item_data in (_objects):
            objects_item = SpaceObject.from_dict(objects_item_data)



            objects.append(objects_item)


        texts = []
        _texts = d.pop("texts")
        for texts_item_data in (_texts):
            texts_item = Text.from_dict(texts_item_data)



            texts.append(texts_item)


        narration = []
        _narration = d.pop("narration")
        for narration_item_data in (_narration):
            narration_item = Narration.from_dict(narration_item_data)



            narration.append(narration_item)


        measurements = []
        _measurements = d.pop("measurements")
        for measurements_item_data in (_measurements):
            measurements_item = Measurement.from_dict(measurements_item_data)



            measurements.append(measurements_item)


        relations = []
        _relations = d.pop("relations")
        for relations_item_data in (_relations):
            relations_item = Relation.from_dict(relations_item_data)



            relations.append(relations_item)


        summary = []
        _summary = d.pop("summary")
        for summary_item_data in (_summary):
            summary_item = Sentence.from_dict(summary_item_data)



            summary.append(summary_item)


        quality = Quality.from_dict(d.pop("quality"))




        runs = []
        _runs = d.pop("runs")
        for runs_item_data in (_runs):
            runs_item = Run.from_dict(runs_item_data)



            runs.append(runs_item)


        _boards = d.pop("boards", UNSET)
        boards: list[Board] | Unset = UNSET
        if _boards is not UNSET:
            boards = []
            for boards_item_data in _boards:
                boards_item = Board.from_dict(boards_item_data)



                boards.append(boards_item)


        _facts = d.pop("facts", UNSET)
        facts: list[Fact] | Unset = UNSET
        if _facts is not UNSET:
            facts = []
            for facts_item_data in _facts:
                facts_item = Fact.from_dict(facts_item_data)



                facts.append(facts_item)


        _privacy = d.pop("privacy", UNSET)
        privacy: list[PrivacyFlag] | Unset = UNSET
        if _privacy is not UNSET:
            privacy = []
            for privacy_item_data in _privacy:
                privacy_item = PrivacyFlag.from_dict(privacy_item_data)



                privacy.append(privacy_item)


        _corrections = d.pop("corrections", UNSET)
        corrections: list[AppliedCorrection] | Unset = UNSET
        if _corrections is not UNSET:
            corrections = []
            for corrections_item_data in _corrections:
                corrections_item = AppliedCorrection.from_dict(corrections_item_data)



                corrections.append(corrections_item)


        space_document = cls(
            schema_version=schema_version,
            kind=kind,
            language=language,
            media=media,
            frames=frames,
            zones=zones,
            openings=openings,
            objects=objects,
            texts=texts,
            narration=narration,
            measurements=measurements,
            relations=relations,
            summary=summary,
            quality=quality,
            runs=runs,
            boards=boards,
            facts=facts,
            privacy=privacy,
            corrections=corrections,
        )


        space_document.additional_properties = d
        return space_document

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

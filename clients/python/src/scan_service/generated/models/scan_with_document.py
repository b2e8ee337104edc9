from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.scan_status import ScanStatus
from ..models.stage import Stage
from ..types import UNSET, Unset
from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.charge import Charge
  from ..models.frames_scan_input import FramesScanInput
  from ..models.progress import Progress
  from ..models.scan_failure import ScanFailure
  from ..models.space_document import SpaceDocument
  from ..models.timeline_entry import TimelineEntry
  from ..models.upload_instructions import UploadInstructions
  from ..models.video_scan_input import VideoScanInput
  from ..models.waiting import Waiting





T = TypeVar("T", bound="ScanWithDocument")



@_attrs_define
class ScanWithDocument:
    """ A scan with its document.

        Attributes:
            object_ (str): Always `scan`.
            id (str):
            space_id (str):
            status (ScanStatus): Status of a scan.
            livemode (bool): Whether the scan belongs to live mode.
            input_ (FramesScanInput | VideoScanInput): Declared input of a scan: one video, or photos in order.
            created_at (datetime.datetime):
            timeline (list[TimelineEntry]): All changes of status and stage, oldest first.
            retry_of (None | str | Unset):
            stage (None | Stage | Unset):
            progress (None | Progress | Unset):
            waiting (None | Unset | Waiting):
            has_transcript (bool | Unset): Whether a transcript was sent at creation.
            upload (None | Unset | UploadInstructions):
            charge (Charge | None | Unset):
            error (None | ScanFailure | Unset):
            document_revision (int | None | Unset): Revision of the document that this scan wrote; present when `complete`.
            started_at (datetime.datetime | None | Unset):
            finished_at (datetime.datetime | None | Unset):
            document (None | SpaceDocument | Unset):
     """

    object_: str
    id: str
    space_id: str
    status: ScanStatus
    livemode: bool
    input_: FramesScanInput | VideoScanInput
    created_at: datetime.datetime
    timeline: list[TimelineEntry]
    retry_of: None | str | Unset = UNSET
    stage: None | Stage | Unset = UNSET
    progress: None | Progress | Unset = UNSET
    waiting: None | Unset | Waiting = UNSET
    has_transcript: bool | Unset = UNSET
    upload: None | Unset | UploadInstructions = UNSET
    charge: Charge | None | Unset = UNSET
    error: None | ScanFailure | Unset = UNSET
    document_revision: int | None | Unset = UNSET
    started_at: datetime.datetime | None | Unset = UNSET
    finished_at: datetime.datetime | None | Unset = UNSET
    document: None | SpaceDocument | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.charge import Charge # noqa: PLC0415
        from ..models.frames_scan_input import FramesScanInput # noqa: PLC0415
        from ..models.progress import Progress # noqa: PLC0415
        from ..models.scan_failure import ScanFailure # noqa: PLC0415
        from ..models.space_document import SpaceDocument # noqa: PLC0415
        from ..models.timeline_entry import TimelineEntry # noqa: PLC0415
        from ..models.upload_instructions import UploadInstructions # noqa: PLC0415
        from ..models.video_scan_input import VideoScanInput # noqa: PLC0415
        from ..models.waiting import Waiting # noqa: PLC0415
        object_ = self.object_

        id = self.id

        space_id = self.space_id

        status = self.status.value

        livemode = self.livemode

        input_: dict[str, Any]
        if isinstance(self.input_, VideoScanInput):
            input_ = self.input_.to_dict()
        else:
            input_ = self.input_.to_dict()


        created_at = self.created_at.isoformat()

        timeline = []
        for timeline_item_data in self.timeline:
            timeline_item = timeline_item_data.to_dict()
            timeline.append(timeline_item)



        retry_of: None | str | Unset
        if isinstance(self.retry_of, Unset):
            retry_of = UNSET
        else:
            retry_of = self.retry_of

        stage: None | str | Unset
        if isinstance(self.stage, Unset):
            stage = UNSET
        elif isinstance(self.stage, Stage):
            stage = self.stage.value
        else:
            stage = self.stage

        progress: dict[str, Any] | None | Unset
        if isinstance(self.progress, Unset):
            progress = UNSET
        elif isinstance(self.progress, Progress):
            progress = self.progress.to_dict()
        else:
            progress = self.progress

        waiting: dict[str, Any] | None | Unset
        if isinstance(self.waiting, Unset):
            waiting = UNSET
        elif isinstance(self.waiting, Waiting):
            waiting = self.waiting.to_dict()
        else:
            waiting = self.waiting

        has_transcript = self.has_transcript

        upload: dict[str, Any] | None | Unset
        if isinstance(self.upload, Unset):
            upload = UNSET
        elif isinstance(self.upload, UploadInstructions):
            upload = self.upload.to_dict()
        else:
            upload = self.upload

        charge: dict[str, Any] | None | Unset
        if isinstance(self.charge, Unset):
            charge = UNSET
        elif isinstance(self.charge, Charge):
            charge = self.charge.to_dict()
        else:
            charge = self.charge

        error: dict[str, Any] | None | Unset
        if isinstance(self.error, Unset):
            error = UNSET
        elif isinstance(self.error, ScanFailure):
            error = self.error.to_dict()
        else:
            error = self.error

        document_revision: int | None | Unset
        if isinstance(self.document_revision, Unset):
            document_revision = UNSET
        else:
            document_revision = self.document_revision

        started_at: None | str | Unset
        if isinstance(self.started_at, Unset):
            started_at = UNSET
        elif isinstance(self.started_at, datetime.datetime):
            started_at = self.started_at.isoformat()
        else:
            started_at = self.started_at

        finished_at: None | str | Unset
        if isinstance(self.finished_at, Unset):
            finished_at = UNSET
        elif isinstance(self.finished_at, datetime.datetime):
            finished_at = self.finished_at.isoformat()
        else:
            finished_at = self.finished_at

        document: dict[str, Any] | None | Unset
        if isinstance(self.document, Unset):
            document = UNSET
        elif isinstance(self.document, SpaceDocument):
            document = self.document.to_dict()
        else:
            document = self.document


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "object": object_,
            "id": id,
            "space_id": space_id,
            "status": status,
            "livemode": livemode,
            "input": input_,
            "created_at": created_at,
            "timeline": timeline,
        })
        if retry_of is not UNSET:
            field_dict["retry_of"] = retry_of
        if stage is not UNSET:
            field_dict["stage"] = stage
        if progress is not UNSET:
            field_dict["progress"] = progress
        if waiting is not UNSET:
            field_dict["waiting"] = waiting
        if has_transcript is not UNSET:
            field_dict["has_transcript"] = has_transcript
        if upload is not UNSET:
            field_dict["upload"] = upload
        if charge is not UNSET:
            field_dict["charge"] = charge
        if error is not UNSET:
            field_dict["error"] = error
        if document_revision is not UNSET:
            field_dict["document_revision"] = document_revision
        if started_at is not UNSET:
            field_dict["started_at"] = started_at
        if finished_at is not UNSET:
            field_dict["finished_at"] = finished_at
        if document is not UNSET:
            field_dict["document"] = document

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.charge import Charge # noqa: PLC0415
        from ..models.frames_scan_input import FramesScanInput # noqa: PLC0415
        from ..models.progress import Progress # noqa: PLC0415
        from ..models.scan_failure import ScanFailure # noqa: PLC0415
        from ..models.space_document import SpaceDocument # noqa: PLC0415
        from ..models.timeline_entry import TimelineEntry # noqa: PLC0415
        from ..models.upload_instructions import UploadInstructions # noqa: PLC0415
        from ..models.video_scan_input import VideoScanInput # noqa: PLC0415
        from ..models.waiting import Waiting # noqa: PLC0415
        d = dict(src_dict)
        object_ = d.pop("object")

        id = d.pop("id")

        space_id = d.pop("space_id")

        status = ScanStatus(d.pop("status"))




        livemode = d.pop("livemode")

        def _parse_input_(data: object) -> FramesScanInput | VideoScanInput:
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_scan_input_type_0 = VideoScanInput.from_dict(data)



                return componentsschemas_scan_input_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            if not isinstance(data, dict):
                raise TypeError()
            componentsschemas_scan_input_type_1 = FramesScanInput.from_dict(data)



            return componentsschemas_scan_input_type_1

        input_ = _parse_input_(d.pop("input"))


        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))




        timeline = []
        _timeline = d.pop("timeline")
        for timeline_item_data in (_timeline):
            timeline_item = TimelineEntry.from_dict(timeline_item_data)



            timeline.append(timeline_item)


        def _parse_retry_of(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        retry_of = _parse_retry_of(d.pop("retry_of", UNSET))


        def _parse_stage(data: object) -> None | Stage | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                stage_type_0 = Stage(data)



                return stage_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Stage | Unset, data)

        stage = _parse_stage(d.pop("stage", UNSET))


        def _parse_progress(data: object) -> None | Progress | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                progress_type_0 = Progress.from_dict(data)



                return progress_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Progress | Unset, data)

        progress = _parse_progress(d.pop("progress", UNSET))


        def _parse_waiting(data: object) -> None | Unset | Waiting:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                waiting_type_0 = Waiting.from_dict(data)



                return waiting_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | Waiting, data)

        waiting = _parse_waiting(d.pop("waiting", UNSET))


        has_transcript = d.pop("has_transcript", UNSET)

        def _parse_upload(data: object) -> None | Unset | UploadInstructions:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                upload_type_0 = UploadInstructions.from_dict(data)



                return upload_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | UploadInstructions, data)

        upload = _parse_upload(d.pop("upload", UNSET))


        def _parse_charge(data: object) -> Charge | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                charge_type_0 = Charge.from_dict(data)



                return charge_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Charge | None | Unset, data)

        charge = _parse_charge(d.pop("charge", UNSET))


        def _parse_error(data: object) -> None | ScanFailure | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                error_type_0 = ScanFailure.from_dict(data)



                return error_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | ScanFailure | Unset, data)

        error = _parse_error(d.pop("error", UNSET))


        def _parse_document_revision(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        document_revision = _parse_document_revision(d.pop("document_revision", UNSET))


        def _parse_started_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                started_at_type_0 = datetime.datetime.fromisoformat(data)



                return started_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        started_at = _parse_started_at(d.pop("started_at", UNSET))


        def _parse_finished_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                finished_at_type_0 = datetime.datetime.fromisoformat(data)



                return finished_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        finished_at = _parse_finished_at(d.pop("finished_at", UNSET))


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


        scan_with_document = cls(
            object_=object_,
            id=id,
            space_id=space_id,
            status=status,
            livemode=livemode,
            input_=input_,
            created_at=created_at,
            timeline=timeline,
            retry_of=retry_of,
            stage=stage,
            progress=progress,
            waiting=waiting,
            has_transcript=has_transcript,
            upload=upload,
            charge=charge,
            error=error,
            document_revision=document_revision,
            started_at=started_at,
            finished_at=finished_at,
            document=document,
        )


        scan_with_document.additional_properties = d
        return scan_with_document

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

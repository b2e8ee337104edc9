from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.webhook_delivery_status import WebhookDeliveryStatus
from ..types import UNSET, Unset
from typing import cast
import datetime






T = TypeVar("T", bound="WebhookDelivery")



@_attrs_define
class WebhookDelivery:
    """ Delivery of an event to a webhook endpoint.

        Attributes:
            object_ (str): Always `webhook_delivery`.
            event_id (str): The event.
            endpoint_id (str):
            status (WebhookDeliveryStatus): Status of a delivery.
            attempts (int): Number of requests, including those of replays.
            replays (int): Number of replays.
            created_at (datetime.datetime):
            last_status (int | None | Unset): HTTP status of the last response; null without a response.
            last_error (None | str | Unset): Why the last request failed; null if it succeeded.
            last_response (None | str | Unset): Beginning of the body of the last response, at most 20 kB.
            next_attempt_at (datetime.datetime | None | Unset):
            finished_at (datetime.datetime | None | Unset):
     """

    object_: str
    event_id: str
    endpoint_id: str
    status: WebhookDeliveryStatus
    attempts: int
    replays: int
    created_at: datetime.datetime
    last_status: int | None | Unset = UNSET
    last_error: None | str | Unset = UNSET
    last_response: None | str | Unset = UNSET
    next_attempt_at: datetime.datetime | None | Unset = UNSET
    finished_at: datetime.datetime | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        object_ = self.object_

        event_id = self.event_id

        endpoint_id = self.endpoint_id

        status = self.status.value

        attempts = self.attempts

        replays = self.replays

        created_at = self.created_at.isoformat()

        last_status: int | None | Unset
        if isinstance(self.last_status, Unset):
            last_status = UNSET
        else:
            last_status = self.last_status

        last_error: None | str | Unset
        if isinstance(self.last_error, Unset):
            last_error = UNSET
        else:
            last_error = self.last_error

        last_response: None | str | Unset
        if isinstance(self.last_response, Unset):
            last_response = UNSET
        else:
            last_response = self.last_response

        next_attempt_at: None | str | Unset
        if isinstance(self.next_attempt_at, Unset):
            next_attempt_at = UNSET
        elif isinstance(self.next_attempt_at, datetime.datetime):
            next_attempt_at = self.next_attempt_at.isoformat()
        else:
            next_attempt_at = self.next_attempt_at

        finished_at: None | str | Unset
        if isinstance(self.finished_at, Unset):
            finished_at = UNSET
        elif isinstance(self.finished_at, datetime.datetime):
            finished_at = self.finished_at.isoformat()
        else:
            finished_at = self.finished_at


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "object": object_,
            "event_id": event_id,
            "endpoint_id": endpoint_id,
            "status": status,
            "attempts": attempts,
            "replays": replays,
            "created_at": created_at,
        })
        if last_status is not UNSET:
            field_dict["last_status"] = last_status
        if last_error is not UNSET:
            field_dict["last_error"] = last_error
        if last_response is not UNSET:
            field_dict["last_response"] = last_response
        if next_attempt_at is not UNSET:
            field_dict["next_attempt_at"] = next_attempt_at
        if finished_at is not UNSET:
            field_dict["finished_at"] = finished_at

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        object_ = d.pop("object")

        event_id = d.pop("event_id")

        endpoint_id = d.pop("endpoint_id")

        status = WebhookDeliveryStatus(d.pop("status"))




        attempts = d.pop("attempts")

        replays = d.pop("replays")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))




        def _parse_last_status(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        last_status = _parse_last_status(d.pop("last_status", UNSET))


        def _parse_last_error(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        last_error = _parse_last_error(d.pop("last_error", UNSET))


        def _parse_last_response(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        last_response = _parse_last_response(d.pop("last_response", UNSET))


        def _parse_next_attempt_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                next_attempt_at_type_0 = datetime.datetime.fromisoformat(data)



                return next_attempt_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        next_attempt_at = _parse_next_attempt_at(d.pop("next_attempt_at", UNSET))


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


        webhook_delivery = cls(
            object_=object_,
            event_id=event_id,
            endpoint_id=endpoint_id,
            status=status,
            attempts=attempts,
            replays=replays,
            created_at=created_at,
            last_status=last_status,
            last_error=last_error,
            last_response=last_response,
            next_attempt_at=next_attempt_at,
            finished_at=finished_at,
        )


        webhook_delivery.additional_properties = d
        return webhook_delivery

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

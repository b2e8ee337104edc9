from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.event import Event
  from ..models.webhook_test_error import WebhookTestError





T = TypeVar("T", bound="WebhookTest")



@_attrs_define
class WebhookTest:
    """ Outcome of a test event.

        Attributes:
            object_ (str): Always `webhook_test`.
            delivered (bool): Whether your server responded with 2xx in time.
            event (Event): The body that is sent to endpoints. It is written once, and every delivery sends the same bytes.
            response_truncated (bool): Whether `response` is cut off.
            duration_ms (int): Duration of the request, in milliseconds.
            status (int | None | Unset): HTTP status of the response; null without a response.
            error (None | Unset | WebhookTestError):
            response (None | str | Unset): Beginning of the body of the response, at most 20 kB.
     """

    object_: str
    delivered: bool
    event: Event
    response_truncated: bool
    duration_ms: int
    status: int | None | Unset = UNSET
    error: None | Unset | WebhookTestError = UNSET
    response: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.event import Event # noqa: PLC0415
        from ..models.webhook_test_error import WebhookTestError # noqa: PLC0415
        object_ = self.object_

        delivered = self.delivered

        event = self.event.to_dict()

        response_truncated = self.response_truncated

        duration_ms = self.duration_ms

        status: int | None | Unset
        if isinstance(self.status, Unset):
            status = UNSET
        else:
            status = self.status

        error: dict[str, Any] | None | Unset
        if isinstance(self.error, Unset):
            error = UNSET
        elif isinstance(self.error, WebhookTestError):
            error = self.error.to_dict()
        else:
            error = self.error

        response: None | str | Unset
        if isinstance(self.response, Unset):
            response = UNSET
        else:
            response = self.response


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "object": object_,
            "delivered": delivered,
            "event": event,
            "response_truncated": response_truncated,
            "duration_ms": duration_ms,
        })
        if status is not UNSET:
            field_dict["status"] = status
        if error is not UNSET:
            field_dict["error"] = error
        if response is not UNSET:
            field_dict["response"] = response

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.event import Event # noqa: PLC0415
        from ..models.webhook_test_error import WebhookTestError # noqa: PLC0415
        d = dict(src_dict)
        object_ = d.pop("object")

        delivered = d.pop("delivered")

        event = Event.from_dict(d.pop("event"))




        response_truncated = d.pop("response_truncated")

        duration_ms = d.pop("duration_ms")

        def _parse_status(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        status = _parse_status(d.pop("status", UNSET))


        def _parse_error(data: object) -> None | Unset | WebhookTestError:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                error_type_0 = WebhookTestError.from_dict(data)



                return error_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | WebhookTestError, data)

        error = _parse_error(d.pop("error", UNSET))


        def _parse_response(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        response = _parse_response(d.pop("response", UNSET))


        webhook_test = cls(
            object_=object_,
            delivered=delivered,
            event=event,
            response_truncated=response_truncated,
            duration_ms=duration_ms,
            status=status,
            error=error,
            response=response,
        )


        webhook_test.additional_properties = d
        return webhook_test

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

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.event_type import EventType
from ..models.mode import Mode
from ..types import UNSET, Unset
from typing import cast
import datetime






T = TypeVar("T", bound="WebhookEndpointWithSecret")



@_attrs_define
class WebhookEndpointWithSecret:
    """ A webhook endpoint with its new signing secret.

        Attributes:
            object_ (str): Always `webhook_endpoint`.
            id (str):
            mode (Mode): The mode of a key, space, scan, wallet or event.
            url (str): URL that receives the events.
            events (list[EventType]): Types of events to deliver.
            enabled (bool): Whether events are delivered to it.
            consecutive_failures (int): Failed deliveries since the last successful one. At 20, the service disables the
                endpoint.
            created_at (datetime.datetime):
            updated_at (datetime.datetime):
            description (None | str | Unset): Your description of the endpoint.
            disabled_reason (None | str | Unset): Why the service disabled it; null if it is enabled, or if you disabled it.
            old_secret_signs_until (datetime.datetime | None | Unset):
            signing_secret (None | str | Unset): Signing secret, prefix `whsec_`; shown only once. Null if an earlier
                request created the
                endpoint.
     """

    object_: str
    id: str
    mode: Mode
    url: str
    events: list[EventType]
    enabled: bool
    consecutive_failures: int
    created_at: datetime.datetime
    updated_at: datetime.datetime
    description: None | str | Unset = UNSET
    disabled_reason: None | str | Unset = UNSET
    old_secret_signs_until: datetime.datetime | None | Unset = UNSET
    signing_secret: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        object_ = self.object_

        id = self.id

        mode = self.mode.value

        url = self.url

        events = []
        for events_item_data in self.events:
            events_item = events_item_data.value
            events.append(events_item)



        enabled = self.enabled

        consecutive_failures = self.consecutive_failures

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        description: None | str | Unset
        if isinstance(self.description, Unset):
            description = UNSET
        else:
            description = self.description

        disabled_reason: None | str | Unset
        if isinstance(self.disabled_reason, Unset):
            disabled_reason = UNSET
        else:
            disabled_reason = self.disabled_reason

        old_secret_signs_until: None | str | Unset
        if isinstance(self.old_secret_signs_until, Unset):
            old_secret_signs_until = UNSET
        elif isinstance(self.old_secret_signs_until, datetime.datetime):
            old_secret_signs_until = self.old_secret_signs_until.isoformat()
        else:
            old_secret_signs_until = self.old_secret_signs_until

        signing_secret: None | str | Unset
        if isinstance(self.signing_secret, Unset):
            signing_secret = UNSET
        else:
            signing_secret = self.signing_secret


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "object": object_,
            "id": id,
            "mode": mode,
            "url": url,
            "events": events,
            "enabled": enabled,
            "consecutive_failures": consecutive_failures,
            "created_at": created_at,
            "updated_at": updated_at,
        })
        if description is not UNSET:
            field_dict["description"] = description
        if disabled_reason is not UNSET:
            field_dict["disabled_reason"] = disabled_reason
        if old_secret_signs_until is not UNSET:
            field_dict["old_secret_signs_until"] = old_secret_signs_until
        if signing_secret is not UNSET:
            field_dict["signing_secret"] = signing_secret

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        object_ = d.pop("object")

        id = d.pop("id")

        mode = Mode(d.pop("mode"))




        url = d.pop("url")

        events = []
        _events = d.pop("events")
        for events_item_data in (_events):
            events_item = EventType(events_item_data)



            events.append(events_item)


        enabled = d.pop("enabled")

        consecutive_failures = d.pop("consecutive_failures")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))




        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))




        def _parse_description(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        description = _parse_description(d.pop("description", UNSET))


        def _parse_disabled_reason(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        disabled_reason = _parse_disabled_reason(d.pop("disabled_reason", UNSET))


        def _parse_old_secret_signs_until(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                old_secret_signs_until_type_0 = datetime.datetime.fromisoformat(data)



                return old_secret_signs_until_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        old_secret_signs_until = _parse_old_secret_signs_until(d.pop("old_secret_signs_until", UNSET))


        def _parse_signing_secret(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        signing_secret = _parse_signing_secret(d.pop("signing_secret", UNSET))


        webhook_endpoint_with_secret = cls(
            object_=object_,
            id=id,
            mode=mode,
            url=url,
            events=events,
            enabled=enabled,
            consecutive_failures=consecutive_failures,
            created_at=created_at,
            updated_at=updated_at,
            description=description,
            disabled_reason=disabled_reason,
            old_secret_signs_until=old_secret_signs_until,
            signing_secret=signing_secret,
        )


        webhook_endpoint_with_secret.additional_properties = d
        return webhook_endpoint_with_secret

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

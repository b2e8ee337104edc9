"""Events: lists, and the live stream."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx

from .._retries import RetryPolicy
from ..errors import ApiConnectionError
from ..generated.api.events import get_event, list_events
from ..generated.client import AuthenticatedClient
from ..generated.models import Event, EventList, EventType, ListEventsType
from ..generated.types import UNSET, Response, Unset
from ._io import sleep
from .pages import PAGE_SIZE, expect, iterate


class Events:
    """Operations on events."""

    def __init__(self, api: AuthenticatedClient, http: httpx.Client, policy: RetryPolicy) -> None:
        self._api = api
        self._http = http
        self._policy = policy

    def get(self, event_id: str) -> Event:
        """Returns an event of the last 30 days."""
        return expect(get_event.sync_detailed(event_id, client=self._api), Event)

    def list(self, *, type_: EventType | None = None, page_size: int = PAGE_SIZE) -> Iterator[Event]:
        """Iterates over the events of the last 30 days, newest first."""

        def fetch(cursor: str | Unset) -> Response[Any]:
            return list_events.sync_detailed(
                client=self._api, limit=page_size, cursor=cursor, type_=ListEventsType(type_) if type_ else UNSET
            )

        return iterate(fetch, EventList)

    def stream(self, *, after: str | None = None) -> Iterator[Event]:
        """Yields events as they happen, without end: new ones, or all after the event id `after`.

        Reconnects after the last event when the service or the network ends the stream.
        """
        failures = 0
        while True:
            headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": after} if after else {})
            # The service sends a comment every few seconds, so a silent stream is broken.
            timeout = httpx.Timeout(10.0, read=60.0)
            try:
                with self._http.stream("GET", "/events/stream", headers=headers, timeout=timeout) as response:
                    data: list[str] = []
                    for line in response.iter_lines():
                        field, _, value = line.partition(":")
                        if field == "data":
                            data.append(value.removeprefix(" "))
                        elif not line and data:
                            event = Event.from_dict(json.loads("\n".join(data)))
                            data, after, failures = [], event.id, 0
                            yield event
            except httpx.TransportError as error:
                wait = self._policy.wait(failures)
                if wait is None:
                    raise ApiConnectionError(f"the event stream broke: {error!r}") from error
                failures += 1
            else:
                wait = self._policy.first_wait
            sleep(wait)

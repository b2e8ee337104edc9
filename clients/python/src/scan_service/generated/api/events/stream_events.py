from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.error import Error
from ...models.stream_events_scan_mode import StreamEventsScanMode
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    *,
    last_event_id: str | Unset = UNSET,
    scan_mode: StreamEventsScanMode | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(last_event_id, Unset):
        headers["Last-Event-ID"] = last_event_id

    if not isinstance(scan_mode, Unset):
        headers["scan-mode"] = str(scan_mode)




    

    

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/events/stream",
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Error | str | None:
    if response.status_code == 200:
        response_200 = cast(str, response.content)
        return response_200

    if response.status_code == 400:
        response_400 = Error.from_dict(response.json())



        return response_400

    if response.status_code == 401:
        response_401 = Error.from_dict(response.json())



        return response_401

    if response.status_code == 403:
        response_403 = Error.from_dict(response.json())



        return response_403

    if response.status_code == 429:
        response_429 = Error.from_dict(response.json())



        return response_429

    if response.status_code == 500:
        response_500 = Error.from_dict(response.json())



        return response_500

    if response.status_code == 503:
        response_503 = Error.from_dict(response.json())



        return response_503

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Error | str]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    last_event_id: str | Unset = UNSET,
    scan_mode: StreamEventsScanMode | Unset = UNSET,

) -> Response[Error | str]:
    """ Stream events

     Sends server-sent events: `event` is the type, `id` the id, and `data` the body that webhook
    endpoints receive. Starts after `Last-Event-ID`, or with new events without it. The stream ends
    after some minutes, and when the key is revoked; reconnect with the last id. Requires the scope
    `events:read`.

    Args:
        last_event_id (str | Unset):
        scan_mode (StreamEventsScanMode | Unset): The mode of a key, space, scan, wallet or event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Error | str]
     """


    kwargs = _get_kwargs(
        last_event_id=last_event_id,
scan_mode=scan_mode,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    *,
    client: AuthenticatedClient,
    last_event_id: str | Unset = UNSET,
    scan_mode: StreamEventsScanMode | Unset = UNSET,

) -> Error | str | None:
    """ Stream events

     Sends server-sent events: `event` is the type, `id` the id, and `data` the body that webhook
    endpoints receive. Starts after `Last-Event-ID`, or with new events without it. The stream ends
    after some minutes, and when the key is revoked; reconnect with the last id. Requires the scope
    `events:read`.

    Args:
        last_event_id (str | Unset):
        scan_mode (StreamEventsScanMode | Unset): The mode of a key, space, scan, wallet or event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Error | str
     """


    return sync_detailed(
        client=client,
last_event_id=last_event_id,
scan_mode=scan_mode,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    last_event_id: str | Unset = UNSET,
    scan_mode: StreamEventsScanMode | Unset = UNSET,

) -> Response[Error | str]:
    """ Stream events

     Sends server-sent events: `event` is the type, `id` the id, and `data` the body that webhook
    endpoints receive. Starts after `Last-Event-ID`, or with new events without it. The stream ends
    after some minutes, and when the key is revoked; reconnect with the last id. Requires the scope
    `events:read`.

    Args:
        last_event_id (str | Unset):
        scan_mode (StreamEventsScanMode | Unset): The mode of a key, space, scan, wallet or event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Error | str]
     """


    kwargs = _get_kwargs(
        last_event_id=last_event_id,
scan_mode=scan_mode,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    *,
    client: AuthenticatedClient,
    last_event_id: str | Unset = UNSET,
    scan_mode: StreamEventsScanMode | Unset = UNSET,

) -> Error | str | None:
    """ Stream events

     Sends server-sent events: `event` is the type, `id` the id, and `data` the body that webhook
    endpoints receive. Starts after `Last-Event-ID`, or with new events without it. The stream ends
    after some minutes, and when the key is revoked; reconnect with the last id. Requires the scope
    `events:read`.

    Args:
        last_event_id (str | Unset):
        scan_mode (StreamEventsScanMode | Unset): The mode of a key, space, scan, wallet or event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Error | str
     """


    return (await asyncio_detailed(
        client=client,
last_event_id=last_event_id,
scan_mode=scan_mode,

    )).parsed

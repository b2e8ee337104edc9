from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.error import Error
from ...models.list_spaces_scan_mode import ListSpacesScanMode
from ...models.space_list import SpaceList
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    *,
    limit: int | Unset = 20,
    cursor: str | Unset = UNSET,
    external_id: str | Unset = UNSET,
    space_type: str | Unset = UNSET,
    scan_mode: ListSpacesScanMode | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(scan_mode, Unset):
        headers["scan-mode"] = str(scan_mode)




    

    params: dict[str, Any] = {}

    params["limit"] = limit

    params["cursor"] = cursor

    params["external_id"] = external_id

    params["space_type"] = space_type


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/spaces",
        "params": params,
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Error | SpaceList | None:
    if response.status_code == 200:
        response_200 = SpaceList.from_dict(response.json())



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

    if response.status_code == 408:
        response_408 = Error.from_dict(response.json())



        return response_408

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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Error | SpaceList]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    limit: int | Unset = 20,
    cursor: str | Unset = UNSET,
    external_id: str | Unset = UNSET,
    space_type: str | Unset = UNSET,
    scan_mode: ListSpacesScanMode | Unset = UNSET,

) -> Response[Error | SpaceList]:
    """ List spaces

     Newest first. Requires the scope `spaces:read`.

    Args:
        limit (int | Unset):  Default: 20.
        cursor (str | Unset):
        external_id (str | Unset):
        space_type (str | Unset):
        scan_mode (ListSpacesScanMode | Unset): The mode of a key, space, scan, wallet or event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Error | SpaceList]
     """


    kwargs = _get_kwargs(
        limit=limit,
cursor=cursor,
external_id=external_id,
space_type=space_type,
scan_mode=scan_mode,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    *,
    client: AuthenticatedClient,
    limit: int | Unset = 20,
    cursor: str | Unset = UNSET,
    external_id: str | Unset = UNSET,
    space_type: str | Unset = UNSET,
    scan_mode: ListSpacesScanMode | Unset = UNSET,

) -> Error | SpaceList | None:
    """ List spaces

     Newest first. Requires the scope `spaces:read`.

    Args:
        limit (int | Unset):  Default: 20.
        cursor (str | Unset):
        external_id (str | Unset):
        space_type (str | Unset):
        scan_mode (ListSpacesScanMode | Unset): The mode of a key, space, scan, wallet or event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Error | SpaceList
     """


    return sync_detailed(
        client=client,
limit=limit,
cursor=cursor,
external_id=external_id,
space_type=space_type,
scan_mode=scan_mode,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    limit: int | Unset = 20,
    cursor: str | Unset = UNSET,
    external_id: str | Unset = UNSET,
    space_type: str | Unset = UNSET,
    scan_mode: ListSpacesScanMode | Unset = UNSET,

) -> Response[Error | SpaceList]:
    """ List spaces

     Newest first. Requires the scope `spaces:read`.

    Args:
        limit (int | Unset):  Default: 20.
        cursor (str | Unset):
        external_id (str | Unset):
        space_type (str | Unset):
        scan_mode (ListSpacesScanMode | Unset): The mode of a key, space, scan, wallet or event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Error | SpaceList]
     """


    kwargs = _get_kwargs(
        limit=limit,
cursor=cursor,
external_id=external_id,
space_type=space_type,
scan_mode=scan_mode,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    *,
    client: AuthenticatedClient,
    limit: int | Unset = 20,
    cursor: str | Unset = UNSET,
    external_id: str | Unset = UNSET,
    space_type: str | Unset = UNSET,
    scan_mode: ListSpacesScanMode | Unset = UNSET,

) -> Error | SpaceList | None:
    """ List spaces

     Newest first. Requires the scope `spaces:read`.

    Args:
        limit (int | Unset):  Default: 20.
        cursor (str | Unset):
        external_id (str | Unset):
        space_type (str | Unset):
        scan_mode (ListSpacesScanMode | Unset): The mode of a key, space, scan, wallet or event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Error | SpaceList
     """


    return (await asyncio_detailed(
        client=client,
limit=limit,
cursor=cursor,
external_id=external_id,
space_type=space_type,
scan_mode=scan_mode,

    )).parsed

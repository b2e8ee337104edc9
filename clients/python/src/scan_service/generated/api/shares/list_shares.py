from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.error import Error
from ...models.list_shares_scan_mode import ListSharesScanMode
from ...models.share_list import ShareList
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    id: str,
    *,
    limit: int | Unset = 20,
    cursor: str | Unset = UNSET,
    scan_mode: ListSharesScanMode | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(scan_mode, Unset):
        headers["scan-mode"] = str(scan_mode)




    

    params: dict[str, Any] = {}

    params["limit"] = limit

    params["cursor"] = cursor


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/spaces/{id}/shares".format(id=quote(str(id), safe=""),),
        "params": params,
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Error | ShareList | None:
    if response.status_code == 200:
        response_200 = ShareList.from_dict(response.json())



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

    if response.status_code == 404:
        response_404 = Error.from_dict(response.json())



        return response_404

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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Error | ShareList]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    id: str,
    *,
    client: AuthenticatedClient,
    limit: int | Unset = 20,
    cursor: str | Unset = UNSET,
    scan_mode: ListSharesScanMode | Unset = UNSET,

) -> Response[Error | ShareList]:
    """ List the share links of a space

     Newest first, including those that ended within a week. Requires the scope `spaces:read`.

    Args:
        id (str):
        limit (int | Unset):  Default: 20.
        cursor (str | Unset):
        scan_mode (ListSharesScanMode | Unset): The mode of a key, space, scan, wallet or event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Error | ShareList]
     """


    kwargs = _get_kwargs(
        id=id,
limit=limit,
cursor=cursor,
scan_mode=scan_mode,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    id: str,
    *,
    client: AuthenticatedClient,
    limit: int | Unset = 20,
    cursor: str | Unset = UNSET,
    scan_mode: ListSharesScanMode | Unset = UNSET,

) -> Error | ShareList | None:
    """ List the share links of a space

     Newest first, including those that ended within a week. Requires the scope `spaces:read`.

    Args:
        id (str):
        limit (int | Unset):  Default: 20.
        cursor (str | Unset):
        scan_mode (ListSharesScanMode | Unset): The mode of a key, space, scan, wallet or event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Error | ShareList
     """


    return sync_detailed(
        id=id,
client=client,
limit=limit,
cursor=cursor,
scan_mode=scan_mode,

    ).parsed

async def asyncio_detailed(
    id: str,
    *,
    client: AuthenticatedClient,
    limit: int | Unset = 20,
    cursor: str | Unset = UNSET,
    scan_mode: ListSharesScanMode | Unset = UNSET,

) -> Response[Error | ShareList]:
    """ List the share links of a space

     Newest first, including those that ended within a week. Requires the scope `spaces:read`.

    Args:
        id (str):
        limit (int | Unset):  Default: 20.
        cursor (str | Unset):
        scan_mode (ListSharesScanMode | Unset): The mode of a key, space, scan, wallet or event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Error | ShareList]
     """


    kwargs = _get_kwargs(
        id=id,
limit=limit,
cursor=cursor,
scan_mode=scan_mode,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    id: str,
    *,
    client: AuthenticatedClient,
    limit: int | Unset = 20,
    cursor: str | Unset = UNSET,
    scan_mode: ListSharesScanMode | Unset = UNSET,

) -> Error | ShareList | None:
    """ List the share links of a space

     Newest first, including those that ended within a week. Requires the scope `spaces:read`.

    Args:
        id (str):
        limit (int | Unset):  Default: 20.
        cursor (str | Unset):
        scan_mode (ListSharesScanMode | Unset): The mode of a key, space, scan, wallet or event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Error | ShareList
     """


    return (await asyncio_detailed(
        id=id,
client=client,
limit=limit,
cursor=cursor,
scan_mode=scan_mode,

    )).parsed

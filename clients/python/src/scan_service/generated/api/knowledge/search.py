from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.error import Error
from ...models.search_hit_list import SearchHitList
from ...models.search_scan_mode import SearchScanMode
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    *,
    q: str,
    space_type: str | Unset = UNSET,
    limit: int | Unset = 20,
    cursor: str | Unset = UNSET,
    scan_mode: SearchScanMode | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(scan_mode, Unset):
        headers["scan-mode"] = str(scan_mode)




    

    params: dict[str, Any] = {}

    params["q"] = q

    params["space_type"] = space_type

    params["limit"] = limit

    params["cursor"] = cursor


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/search",
        "params": params,
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Error | SearchHitList | None:
    if response.status_code == 200:
        response_200 = SearchHitList.from_dict(response.json())



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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Error | SearchHitList]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    q: str,
    space_type: str | Unset = UNSET,
    limit: int | Unset = 20,
    cursor: str | Unset = UNSET,
    scan_mode: SearchScanMode | Unset = UNSET,

) -> Response[Error | SearchHitList]:
    """ Search across spaces

     Returns matching spaces, best first. A space becomes searchable when its first scan is complete, by
    the words of its record and of its newest document. Plurals, accents and small typos are ignored. A
    number before a room or an object (“2 bedrooms”) is a condition; all other words only affect the
    ranking. Requires the scope `search:read`.

    Args:
        q (str):
        space_type (str | Unset):
        limit (int | Unset):  Default: 20.
        cursor (str | Unset):
        scan_mode (SearchScanMode | Unset): The mode of a key, space, scan, wallet or event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Error | SearchHitList]
     """


    kwargs = _get_kwargs(
        q=q,
space_type=space_type,
limit=limit,
cursor=cursor,
scan_mode=scan_mode,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    *,
    client: AuthenticatedClient,
    q: str,
    space_type: str | Unset = UNSET,
    limit: int | Unset = 20,
    cursor: str | Unset = UNSET,
    scan_mode: SearchScanMode | Unset = UNSET,

) -> Error | SearchHitList | None:
    """ Search across spaces

     Returns matching spaces, best first. A space becomes searchable when its first scan is complete, by
    the words of its record and of its newest document. Plurals, accents and small typos are ignored. A
    number before a room or an object (“2 bedrooms”) is a condition; all other words only affect the
    ranking. Requires the scope `search:read`.

    Args:
        q (str):
        space_type (str | Unset):
        limit (int | Unset):  Default: 20.
        cursor (str | Unset):
        scan_mode (SearchScanMode | Unset): The mode of a key, space, scan, wallet or event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Error | SearchHitList
     """


    return sync_detailed(
        client=client,
q=q,
space_type=space_type,
limit=limit,
cursor=cursor,
scan_mode=scan_mode,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    q: str,
    space_type: str | Unset = UNSET,
    limit: int | Unset = 20,
    cursor: str | Unset = UNSET,
    scan_mode: SearchScanMode | Unset = UNSET,

) -> Response[Error | SearchHitList]:
    """ Search across spaces

     Returns matching spaces, best first. A space becomes searchable when its first scan is complete, by
    the words of its record and of its newest document. Plurals, accents and small typos are ignored. A
    number before a room or an object (“2 bedrooms”) is a condition; all other words only affect the
    ranking. Requires the scope `search:read`.

    Args:
        q (str):
        space_type (str | Unset):
        limit (int | Unset):  Default: 20.
        cursor (str | Unset):
        scan_mode (SearchScanMode | Unset): The mode of a key, space, scan, wallet or event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Error | SearchHitList]
     """


    kwargs = _get_kwargs(
        q=q,
space_type=space_type,
limit=limit,
cursor=cursor,
scan_mode=scan_mode,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    *,
    client: AuthenticatedClient,
    q: str,
    space_type: str | Unset = UNSET,
    limit: int | Unset = 20,
    cursor: str | Unset = UNSET,
    scan_mode: SearchScanMode | Unset = UNSET,

) -> Error | SearchHitList | None:
    """ Search across spaces

     Returns matching spaces, best first. A space becomes searchable when its first scan is complete, by
    the words of its record and of its newest document. Plurals, accents and small typos are ignored. A
    number before a room or an object (“2 bedrooms”) is a condition; all other words only affect the
    ranking. Requires the scope `search:read`.

    Args:
        q (str):
        space_type (str | Unset):
        limit (int | Unset):  Default: 20.
        cursor (str | Unset):
        scan_mode (SearchScanMode | Unset): The mode of a key, space, scan, wallet or event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Error | SearchHitList
     """


    return (await asyncio_detailed(
        client=client,
q=q,
space_type=space_type,
limit=limit,
cursor=cursor,
scan_mode=scan_mode,

    )).parsed

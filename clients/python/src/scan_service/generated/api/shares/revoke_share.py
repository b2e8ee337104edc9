from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.error import Error
from ...models.revoke_share_scan_mode import RevokeShareScanMode
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    id: str,
    share_id: str,
    *,
    scan_mode: RevokeShareScanMode | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(scan_mode, Unset):
        headers["scan-mode"] = str(scan_mode)




    

    

    _kwargs: dict[str, Any] = {
        "method": "delete",
        "url": "/spaces/{id}/shares/{share_id}".format(id=quote(str(id), safe=""),share_id=quote(str(share_id), safe=""),),
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Any | Error | None:
    if response.status_code == 204:
        response_204 = cast(Any, None)
        return response_204

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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Any | Error]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    id: str,
    share_id: str,
    *,
    client: AuthenticatedClient,
    scan_mode: RevokeShareScanMode | Unset = UNSET,

) -> Response[Any | Error]:
    """ Revoke a share link

     Takes effect at once; pictures that a reader has opened stay readable for five minutes. Idempotent.
    Requires the scope `shares:write`.

    Args:
        id (str):
        share_id (str):
        scan_mode (RevokeShareScanMode | Unset): The mode of a key, space, scan, wallet or event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | Error]
     """


    kwargs = _get_kwargs(
        id=id,
share_id=share_id,
scan_mode=scan_mode,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    id: str,
    share_id: str,
    *,
    client: AuthenticatedClient,
    scan_mode: RevokeShareScanMode | Unset = UNSET,

) -> Any | Error | None:
    """ Revoke a share link

     Takes effect at once; pictures that a reader has opened stay readable for five minutes. Idempotent.
    Requires the scope `shares:write`.

    Args:
        id (str):
        share_id (str):
        scan_mode (RevokeShareScanMode | Unset): The mode of a key, space, scan, wallet or event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | Error
     """


    return sync_detailed(
        id=id,
share_id=share_id,
client=client,
scan_mode=scan_mode,

    ).parsed

async def asyncio_detailed(
    id: str,
    share_id: str,
    *,
    client: AuthenticatedClient,
    scan_mode: RevokeShareScanMode | Unset = UNSET,

) -> Response[Any | Error]:
    """ Revoke a share link

     Takes effect at once; pictures that a reader has opened stay readable for five minutes. Idempotent.
    Requires the scope `shares:write`.

    Args:
        id (str):
        share_id (str):
        scan_mode (RevokeShareScanMode | Unset): The mode of a key, space, scan, wallet or event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | Error]
     """


    kwargs = _get_kwargs(
        id=id,
share_id=share_id,
scan_mode=scan_mode,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    id: str,
    share_id: str,
    *,
    client: AuthenticatedClient,
    scan_mode: RevokeShareScanMode | Unset = UNSET,

) -> Any | Error | None:
    """ Revoke a share link

     Takes effect at once; pictures that a reader has opened stay readable for five minutes. Idempotent.
    Requires the scope `shares:write`.

    Args:
        id (str):
        share_id (str):
        scan_mode (RevokeShareScanMode | Unset): The mode of a key, space, scan, wallet or event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | Error
     """


    return (await asyncio_detailed(
        id=id,
share_id=share_id,
client=client,
scan_mode=scan_mode,

    )).parsed

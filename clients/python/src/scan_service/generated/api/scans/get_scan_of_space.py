from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.error import Error
from ...models.get_scan_of_space_scan_mode import GetScanOfSpaceScanMode
from ...models.scan_with_document import ScanWithDocument
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    id: str,
    scan_id: str,
    *,
    scan_mode: GetScanOfSpaceScanMode | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(scan_mode, Unset):
        headers["scan-mode"] = str(scan_mode)




    

    

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/spaces/{id}/scans/{scan_id}".format(id=quote(str(id), safe=""),scan_id=quote(str(scan_id), safe=""),),
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Error | ScanWithDocument | None:
    if response.status_code == 200:
        response_200 = ScanWithDocument.from_dict(response.json())



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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Error | ScanWithDocument]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    id: str,
    scan_id: str,
    *,
    client: AuthenticatedClient,
    scan_mode: GetScanOfSpaceScanMode | Unset = UNSET,

) -> Response[Error | ScanWithDocument]:
    """ Get a scan and its Space Document

     Requires the scope `scans:read`.

    Args:
        id (str):
        scan_id (str):
        scan_mode (GetScanOfSpaceScanMode | Unset): The mode of a key, space, scan, wallet or
            event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Error | ScanWithDocument]
     """


    kwargs = _get_kwargs(
        id=id,
scan_id=scan_id,
scan_mode=scan_mode,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    id: str,
    scan_id: str,
    *,
    client: AuthenticatedClient,
    scan_mode: GetScanOfSpaceScanMode | Unset = UNSET,

) -> Error | ScanWithDocument | None:
    """ Get a scan and its Space Document

     Requires the scope `scans:read`.

    Args:
        id (str):
        scan_id (str):
        scan_mode (GetScanOfSpaceScanMode | Unset): The mode of a key, space, scan, wallet or
            event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Error | ScanWithDocument
     """


    return sync_detailed(
        id=id,
scan_id=scan_id,
client=client,
scan_mode=scan_mode,

    ).parsed

async def asyncio_detailed(
    id: str,
    scan_id: str,
    *,
    client: AuthenticatedClient,
    scan_mode: GetScanOfSpaceScanMode | Unset = UNSET,

) -> Response[Error | ScanWithDocument]:
    """ Get a scan and its Space Document

     Requires the scope `scans:read`.

    Args:
        id (str):
        scan_id (str):
        scan_mode (GetScanOfSpaceScanMode | Unset): The mode of a key, space, scan, wallet or
            event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Error | ScanWithDocument]
     """


    kwargs = _get_kwargs(
        id=id,
scan_id=scan_id,
scan_mode=scan_mode,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    id: str,
    scan_id: str,
    *,
    client: AuthenticatedClient,
    scan_mode: GetScanOfSpaceScanMode | Unset = UNSET,

) -> Error | ScanWithDocument | None:
    """ Get a scan and its Space Document

     Requires the scope `scans:read`.

    Args:
        id (str):
        scan_id (str):
        scan_mode (GetScanOfSpaceScanMode | Unset): The mode of a key, space, scan, wallet or
            event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Error | ScanWithDocument
     """


    return (await asyncio_detailed(
        id=id,
scan_id=scan_id,
client=client,
scan_mode=scan_mode,

    )).parsed

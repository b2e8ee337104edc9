from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.error import Error
from ...models.retry_scan import RetryScan
from ...models.retry_scan_scan_mode import RetryScanScanMode
from ...models.scan import Scan
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    id: str,
    *,
    body: RetryScan | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    scan_mode: RetryScanScanMode | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    if not isinstance(scan_mode, Unset):
        headers["scan-mode"] = str(scan_mode)




    

    

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/scans/{id}/retry".format(id=quote(str(id), safe=""),),
    }

    
    if not isinstance(body, Unset):
        _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Error | Scan | None:
    if response.status_code == 200:
        response_200 = Scan.from_dict(response.json())



        return response_200

    if response.status_code == 202:
        response_202 = Scan.from_dict(response.json())



        return response_202

    if response.status_code == 400:
        response_400 = Error.from_dict(response.json())



        return response_400

    if response.status_code == 401:
        response_401 = Error.from_dict(response.json())



        return response_401

    if response.status_code == 402:
        response_402 = Error.from_dict(response.json())



        return response_402

    if response.status_code == 403:
        response_403 = Error.from_dict(response.json())



        return response_403

    if response.status_code == 404:
        response_404 = Error.from_dict(response.json())



        return response_404

    if response.status_code == 408:
        response_408 = Error.from_dict(response.json())



        return response_408

    if response.status_code == 409:
        response_409 = Error.from_dict(response.json())



        return response_409

    if response.status_code == 413:
        response_413 = Error.from_dict(response.json())



        return response_413

    if response.status_code == 415:
        response_415 = Error.from_dict(response.json())



        return response_415

    if response.status_code == 422:
        response_422 = Error.from_dict(response.json())



        return response_422

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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Error | Scan]:
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
    body: RetryScan | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    scan_mode: RetryScanScanMode | Unset = UNSET,

) -> Response[Error | Scan]:
    """ Retry a scan that failed on our side

     Creates a new scan from the media of a scan that failed with `PIPELINE_ERROR`, and starts it. The
    media are kept for 7 days. The new scan is charged like any other; the failed scan stays failed and
    refunded. If the start is refused, the new scan (`scan_id` in the error) awaits its start: repeat
    the request, or start that scan. A scan has one retry, unless the retry failed or was cancelled. The
    body can be omitted. Requires the scope `scans:write`.

    Args:
        id (str):
        idempotency_key (str | Unset):
        scan_mode (RetryScanScanMode | Unset): The mode of a key, space, scan, wallet or event.
        body (RetryScan | Unset): Body of a retry: an empty object.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Error | Scan]
     """


    kwargs = _get_kwargs(
        id=id,
body=body,
idempotency_key=idempotency_key,
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
    body: RetryScan | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    scan_mode: RetryScanScanMode | Unset = UNSET,

) -> Error | Scan | None:
    """ Retry a scan that failed on our side

     Creates a new scan from the media of a scan that failed with `PIPELINE_ERROR`, and starts it. The
    media are kept for 7 days. The new scan is charged like any other; the failed scan stays failed and
    refunded. If the start is refused, the new scan (`scan_id` in the error) awaits its start: repeat
    the request, or start that scan. A scan has one retry, unless the retry failed or was cancelled. The
    body can be omitted. Requires the scope `scans:write`.

    Args:
        id (str):
        idempotency_key (str | Unset):
        scan_mode (RetryScanScanMode | Unset): The mode of a key, space, scan, wallet or event.
        body (RetryScan | Unset): Body of a retry: an empty object.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Error | Scan
     """


    return sync_detailed(
        id=id,
client=client,
body=body,
idempotency_key=idempotency_key,
scan_mode=scan_mode,

    ).parsed

async def asyncio_detailed(
    id: str,
    *,
    client: AuthenticatedClient,
    body: RetryScan | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    scan_mode: RetryScanScanMode | Unset = UNSET,

) -> Response[Error | Scan]:
    """ Retry a scan that failed on our side

     Creates a new scan from the media of a scan that failed with `PIPELINE_ERROR`, and starts it. The
    media are kept for 7 days. The new scan is charged like any other; the failed scan stays failed and
    refunded. If the start is refused, the new scan (`scan_id` in the error) awaits its start: repeat
    the request, or start that scan. A scan has one retry, unless the retry failed or was cancelled. The
    body can be omitted. Requires the scope `scans:write`.

    Args:
        id (str):
        idempotency_key (str | Unset):
        scan_mode (RetryScanScanMode | Unset): The mode of a key, space, scan, wallet or event.
        body (RetryScan | Unset): Body of a retry: an empty object.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Error | Scan]
     """


    kwargs = _get_kwargs(
        id=id,
body=body,
idempotency_key=idempotency_key,
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
    body: RetryScan | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    scan_mode: RetryScanScanMode | Unset = UNSET,

) -> Error | Scan | None:
    """ Retry a scan that failed on our side

     Creates a new scan from the media of a scan that failed with `PIPELINE_ERROR`, and starts it. The
    media are kept for 7 days. The new scan is charged like any other; the failed scan stays failed and
    refunded. If the start is refused, the new scan (`scan_id` in the error) awaits its start: repeat
    the request, or start that scan. A scan has one retry, unless the retry failed or was cancelled. The
    body can be omitted. Requires the scope `scans:write`.

    Args:
        id (str):
        idempotency_key (str | Unset):
        scan_mode (RetryScanScanMode | Unset): The mode of a key, space, scan, wallet or event.
        body (RetryScan | Unset): Body of a retry: an empty object.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Error | Scan
     """


    return (await asyncio_detailed(
        id=id,
client=client,
body=body,
idempotency_key=idempotency_key,
scan_mode=scan_mode,

    )).parsed

from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.billing_statement import BillingStatement
from ...models.error import Error
from ...models.get_billing_statement_scan_mode import GetBillingStatementScanMode
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    month: str,
    *,
    scan_mode: GetBillingStatementScanMode | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(scan_mode, Unset):
        headers["scan-mode"] = str(scan_mode)




    

    

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/billing/statements/{month}".format(month=quote(str(month), safe=""),),
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> BillingStatement | Error | None:
    if response.status_code == 200:
        response_200 = BillingStatement.from_dict(response.json())



        return response_200

    if response.status_code == 400:
        response_400 = Error.from_dict(response.json())



        return response_400

    if response.status_code == 401:
        response_401 = Error.from_dict(response.json())



        return response_401

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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[BillingStatement | Error]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    month: str,
    *,
    client: AuthenticatedClient,
    scan_mode: GetBillingStatementScanMode | Unset = UNSET,

) -> Response[BillingStatement | Error]:
    """ Get the statement of a month

     `month` is a calendar month in UTC, such as `2026-11`. The closing balance of a statement is the
    opening balance of the next.

    Args:
        month (str):
        scan_mode (GetBillingStatementScanMode | Unset): The mode of a key, space, scan, wallet or
            event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[BillingStatement | Error]
     """


    kwargs = _get_kwargs(
        month=month,
scan_mode=scan_mode,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    month: str,
    *,
    client: AuthenticatedClient,
    scan_mode: GetBillingStatementScanMode | Unset = UNSET,

) -> BillingStatement | Error | None:
    """ Get the statement of a month

     `month` is a calendar month in UTC, such as `2026-11`. The closing balance of a statement is the
    opening balance of the next.

    Args:
        month (str):
        scan_mode (GetBillingStatementScanMode | Unset): The mode of a key, space, scan, wallet or
            event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        BillingStatement | Error
     """


    return sync_detailed(
        month=month,
client=client,
scan_mode=scan_mode,

    ).parsed

async def asyncio_detailed(
    month: str,
    *,
    client: AuthenticatedClient,
    scan_mode: GetBillingStatementScanMode | Unset = UNSET,

) -> Response[BillingStatement | Error]:
    """ Get the statement of a month

     `month` is a calendar month in UTC, such as `2026-11`. The closing balance of a statement is the
    opening balance of the next.

    Args:
        month (str):
        scan_mode (GetBillingStatementScanMode | Unset): The mode of a key, space, scan, wallet or
            event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[BillingStatement | Error]
     """


    kwargs = _get_kwargs(
        month=month,
scan_mode=scan_mode,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    month: str,
    *,
    client: AuthenticatedClient,
    scan_mode: GetBillingStatementScanMode | Unset = UNSET,

) -> BillingStatement | Error | None:
    """ Get the statement of a month

     `month` is a calendar month in UTC, such as `2026-11`. The closing balance of a statement is the
    opening balance of the next.

    Args:
        month (str):
        scan_mode (GetBillingStatementScanMode | Unset): The mode of a key, space, scan, wallet or
            event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        BillingStatement | Error
     """


    return (await asyncio_detailed(
        month=month,
client=client,
scan_mode=scan_mode,

    )).parsed

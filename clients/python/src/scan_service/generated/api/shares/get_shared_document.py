from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.error import Error
from ...models.shared_document import SharedDocument
from typing import cast



def _get_kwargs(
    *,
    scan_share: str,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    headers["Scan-Share"] = scan_share



    

    

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/shared-document",
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Error | SharedDocument | None:
    if response.status_code == 200:
        response_200 = SharedDocument.from_dict(response.json())



        return response_200

    if response.status_code == 400:
        response_400 = Error.from_dict(response.json())



        return response_400

    if response.status_code == 403:
        response_403 = Error.from_dict(response.json())



        return response_403

    if response.status_code == 404:
        response_404 = Error.from_dict(response.json())



        return response_404

    if response.status_code == 408:
        response_408 = Error.from_dict(response.json())



        return response_408

    if response.status_code == 410:
        response_410 = Error.from_dict(response.json())



        return response_410

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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Error | SharedDocument]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    scan_share: str,

) -> Response[Error | SharedDocument]:
    """ Read a shared document

     For anybody who has a share link, without an account. The token is the part of the link after `#`.

    Args:
        scan_share (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Error | SharedDocument]
     """


    kwargs = _get_kwargs(
        scan_share=scan_share,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    *,
    client: AuthenticatedClient,
    scan_share: str,

) -> Error | SharedDocument | None:
    """ Read a shared document

     For anybody who has a share link, without an account. The token is the part of the link after `#`.

    Args:
        scan_share (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Error | SharedDocument
     """


    return sync_detailed(
        client=client,
scan_share=scan_share,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    scan_share: str,

) -> Response[Error | SharedDocument]:
    """ Read a shared document

     For anybody who has a share link, without an account. The token is the part of the link after `#`.

    Args:
        scan_share (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Error | SharedDocument]
     """


    kwargs = _get_kwargs(
        scan_share=scan_share,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    *,
    client: AuthenticatedClient,
    scan_share: str,

) -> Error | SharedDocument | None:
    """ Read a shared document

     For anybody who has a share link, without an account. The token is the part of the link after `#`.

    Args:
        scan_share (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Error | SharedDocument
     """


    return (await asyncio_detailed(
        client=client,
scan_share=scan_share,

    )).parsed

from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.create_space_scan_mode import CreateSpaceScanMode
from ...models.error import Error
from ...models.new_space import NewSpace
from ...models.space import Space
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    *,
    body: NewSpace,
    scan_mode: CreateSpaceScanMode | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(scan_mode, Unset):
        headers["scan-mode"] = str(scan_mode)




    

    

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/spaces",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Error | Space | None:
    if response.status_code == 201:
        response_201 = Space.from_dict(response.json())



        return response_201

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

    if response.status_code == 409:
        response_409 = Error.from_dict(response.json())



        return response_409

    if response.status_code == 413:
        response_413 = Error.from_dict(response.json())



        return response_413

    if response.status_code == 415:
        response_415 = Error.from_dict(response.json())



        return response_415

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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Error | Space]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    body: NewSpace,
    scan_mode: CreateSpaceScanMode | Unset = UNSET,

) -> Response[Error | Space]:
    """ Create a space

     Requires the scope `spaces:write`.

    Args:
        scan_mode (CreateSpaceScanMode | Unset): The mode of a key, space, scan, wallet or event.
        body (NewSpace): Request body of `POST /spaces`.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Error | Space]
     """


    kwargs = _get_kwargs(
        body=body,
scan_mode=scan_mode,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    *,
    client: AuthenticatedClient,
    body: NewSpace,
    scan_mode: CreateSpaceScanMode | Unset = UNSET,

) -> Error | Space | None:
    """ Create a space

     Requires the scope `spaces:write`.

    Args:
        scan_mode (CreateSpaceScanMode | Unset): The mode of a key, space, scan, wallet or event.
        body (NewSpace): Request body of `POST /spaces`.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Error | Space
     """


    return sync_detailed(
        client=client,
body=body,
scan_mode=scan_mode,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    body: NewSpace,
    scan_mode: CreateSpaceScanMode | Unset = UNSET,

) -> Response[Error | Space]:
    """ Create a space

     Requires the scope `spaces:write`.

    Args:
        scan_mode (CreateSpaceScanMode | Unset): The mode of a key, space, scan, wallet or event.
        body (NewSpace): Request body of `POST /spaces`.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Error | Space]
     """


    kwargs = _get_kwargs(
        body=body,
scan_mode=scan_mode,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    *,
    client: AuthenticatedClient,
    body: NewSpace,
    scan_mode: CreateSpaceScanMode | Unset = UNSET,

) -> Error | Space | None:
    """ Create a space

     Requires the scope `spaces:write`.

    Args:
        scan_mode (CreateSpaceScanMode | Unset): The mode of a key, space, scan, wallet or event.
        body (NewSpace): Request body of `POST /spaces`.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Error | Space
     """


    return (await asyncio_detailed(
        client=client,
body=body,
scan_mode=scan_mode,

    )).parsed

from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.answer import Answer
from ...models.ask_space_scan_mode import AskSpaceScanMode
from ...models.error import Error
from ...models.question import Question
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    id: str,
    *,
    body: Question,
    scan_mode: AskSpaceScanMode | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(scan_mode, Unset):
        headers["scan-mode"] = str(scan_mode)




    

    

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/spaces/{id}/ask".format(id=quote(str(id), safe=""),),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Answer | Error | None:
    if response.status_code == 200:
        response_200 = Answer.from_dict(response.json())



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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Answer | Error]:
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
    body: Question,
    scan_mode: AskSpaceScanMode | Unset = UNSET,

) -> Response[Answer | Error]:
    """ Ask a question about a space

     Answers from claims of the Space Document and cites each, or abstains with a reason. An answer never
    claims that something unseen is absent, and never estimates a size. Requires the scope `ask:write`.

    Args:
        id (str):
        scan_mode (AskSpaceScanMode | Unset): The mode of a key, space, scan, wallet or event.
        body (Question): A question about a space.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Answer | Error]
     """


    kwargs = _get_kwargs(
        id=id,
body=body,
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
    body: Question,
    scan_mode: AskSpaceScanMode | Unset = UNSET,

) -> Answer | Error | None:
    """ Ask a question about a space

     Answers from claims of the Space Document and cites each, or abstains with a reason. An answer never
    claims that something unseen is absent, and never estimates a size. Requires the scope `ask:write`.

    Args:
        id (str):
        scan_mode (AskSpaceScanMode | Unset): The mode of a key, space, scan, wallet or event.
        body (Question): A question about a space.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Answer | Error
     """


    return sync_detailed(
        id=id,
client=client,
body=body,
scan_mode=scan_mode,

    ).parsed

async def asyncio_detailed(
    id: str,
    *,
    client: AuthenticatedClient,
    body: Question,
    scan_mode: AskSpaceScanMode | Unset = UNSET,

) -> Response[Answer | Error]:
    """ Ask a question about a space

     Answers from claims of the Space Document and cites each, or abstains with a reason. An answer never
    claims that something unseen is absent, and never estimates a size. Requires the scope `ask:write`.

    Args:
        id (str):
        scan_mode (AskSpaceScanMode | Unset): The mode of a key, space, scan, wallet or event.
        body (Question): A question about a space.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Answer | Error]
     """


    kwargs = _get_kwargs(
        id=id,
body=body,
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
    body: Question,
    scan_mode: AskSpaceScanMode | Unset = UNSET,

) -> Answer | Error | None:
    """ Ask a question about a space

     Answers from claims of the Space Document and cites each, or abstains with a reason. An answer never
    claims that something unseen is absent, and never estimates a size. Requires the scope `ask:write`.

    Args:
        id (str):
        scan_mode (AskSpaceScanMode | Unset): The mode of a key, space, scan, wallet or event.
        body (Question): A question about a space.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Answer | Error
     """


    return (await asyncio_detailed(
        id=id,
client=client,
body=body,
scan_mode=scan_mode,

    )).parsed

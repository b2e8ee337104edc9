from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.card_form import CardForm
from ...models.error import Error
from ...models.open_card_form_scan_mode import OpenCardFormScanMode
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    *,
    scan_mode: OpenCardFormScanMode | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(scan_mode, Unset):
        headers["scan-mode"] = str(scan_mode)




    

    

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/billing/card-forms",
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> CardForm | Error | None:
    if response.status_code == 201:
        response_201 = CardForm.from_dict(response.json())



        return response_201

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

    if response.status_code == 408:
        response_408 = Error.from_dict(response.json())



        return response_408

    if response.status_code == 409:
        response_409 = Error.from_dict(response.json())



        return response_409

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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[CardForm | Error]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    scan_mode: OpenCardFormScanMode | Unset = UNSET,

) -> Response[CardForm | Error]:
    """ Open the bank's page for a card

     Send the customer to `url`. The bank sends the customer back to `/console/billing?card_form=…`;
    complete the form with `completeCardForm`. With Stripe, it is a page of Checkout.

    Args:
        scan_mode (OpenCardFormScanMode | Unset): The mode of a key, space, scan, wallet or event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[CardForm | Error]
     """


    kwargs = _get_kwargs(
        scan_mode=scan_mode,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    *,
    client: AuthenticatedClient,
    scan_mode: OpenCardFormScanMode | Unset = UNSET,

) -> CardForm | Error | None:
    """ Open the bank's page for a card

     Send the customer to `url`. The bank sends the customer back to `/console/billing?card_form=…`;
    complete the form with `completeCardForm`. With Stripe, it is a page of Checkout.

    Args:
        scan_mode (OpenCardFormScanMode | Unset): The mode of a key, space, scan, wallet or event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        CardForm | Error
     """


    return sync_detailed(
        client=client,
scan_mode=scan_mode,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    scan_mode: OpenCardFormScanMode | Unset = UNSET,

) -> Response[CardForm | Error]:
    """ Open the bank's page for a card

     Send the customer to `url`. The bank sends the customer back to `/console/billing?card_form=…`;
    complete the form with `completeCardForm`. With Stripe, it is a page of Checkout.

    Args:
        scan_mode (OpenCardFormScanMode | Unset): The mode of a key, space, scan, wallet or event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[CardForm | Error]
     """


    kwargs = _get_kwargs(
        scan_mode=scan_mode,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    *,
    client: AuthenticatedClient,
    scan_mode: OpenCardFormScanMode | Unset = UNSET,

) -> CardForm | Error | None:
    """ Open the bank's page for a card

     Send the customer to `url`. The bank sends the customer back to `/console/billing?card_form=…`;
    complete the form with `completeCardForm`. With Stripe, it is a page of Checkout.

    Args:
        scan_mode (OpenCardFormScanMode | Unset): The mode of a key, space, scan, wallet or event.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        CardForm | Error
     """


    return (await asyncio_detailed(
        client=client,
scan_mode=scan_mode,

    )).parsed

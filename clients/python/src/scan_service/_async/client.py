"""The client."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from typing import Any, Self

import httpx

from .._retries import RetryPolicy
from .._version import USER_AGENT
from ..generated.api.account import get_me, get_wallet
from ..generated.api.knowledge import search
from ..generated.client import AuthenticatedClient
from ..generated.models import Me, SearchHit, SearchHitList, Wallet
from ..generated.types import UNSET, Response, Unset
from .events import AsyncEvents
from .pages import PAGE_SIZE, expect, iterate
from .scans import AsyncScans
from .spaces import AsyncSpaces
from .transport import AsyncRetryingTransport
from .uploads import AsyncUploader

#: The API of `scan up` on this machine.
_LOCAL_URL = "http://127.0.0.1:8080/v1"
#: Uploads and the service itself never pause for longer. In seconds.
_TIMEOUT = httpx.Timeout(60.0, connect=10.0)


class AsyncScanClient:
    """A client of Scan Service with one key. Use it as a context manager, or close it.

    `api_key` and `base_url` default to the environment variables `SCAN_API_KEY` and `SCAN_API_URL`.
    """

    #: Operations on spaces: records, documents, questions, comparisons.
    spaces: AsyncSpaces
    #: Operations on scans: create, upload, start, wait.
    scans: AsyncScans
    #: Events of the account.
    events: AsyncEvents
    #: The generated client, for operations without a method here: pass it to `generated.api` functions.
    api: AuthenticatedClient

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        retries: RetryPolicy = RetryPolicy(),
        timeout: httpx.Timeout = _TIMEOUT,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        key = api_key or os.environ.get("SCAN_API_KEY")
        if not key:
            raise ValueError("pass api_key, or set SCAN_API_KEY")
        url = (base_url or os.environ.get("SCAN_API_URL") or _LOCAL_URL).rstrip("/")
        retrying = AsyncRetryingTransport(transport or httpx.AsyncHTTPTransport(), retries)
        headers = {"Authorization": f"Bearer {key}", "User-Agent": USER_AGENT}
        self._http = httpx.AsyncClient(base_url=url, headers=headers, timeout=timeout, transport=retrying)
        # Both clients share connections.
        self._storage = httpx.AsyncClient(
            headers={"User-Agent": USER_AGENT}, timeout=timeout, transport=retrying
        )
        self.api = AuthenticatedClient(base_url=url, token=key)
        self.api.set_async_httpx_client(self._http)
        self.spaces = AsyncSpaces(self.api)
        self.scans = AsyncScans(self.api, AsyncUploader(self._http, self._storage, retries))
        self.events = AsyncEvents(self.api, self._http, retries)

    def search(
        self, query: str, *, space_type: str | None = None, page_size: int = PAGE_SIZE
    ) -> AsyncIterator[SearchHit]:
        """Iterates over the spaces that match a query, best first."""

        async def fetch(cursor: str | Unset) -> Response[Any]:
            return await search.asyncio_detailed(
                client=self.api, q=query, space_type=space_type or UNSET, limit=page_size, cursor=cursor
            )

        return iterate(fetch, SearchHitList)

    async def me(self) -> Me:
        """Returns the owner of the key, and the key."""
        return expect(await get_me.asyncio_detailed(client=self.api), Me)

    async def wallet(self) -> Wallet:
        """Returns the balance and the free scans."""
        return expect(await get_wallet.asyncio_detailed(client=self.api), Wallet)

    async def download(self, url: str) -> bytes:
        """Returns the bytes behind a signed `url`, for example of a frame. It is valid for an hour."""
        return (await self._storage.get(url)).content

    async def aclose(self) -> None:
        """Closes all connections."""
        await self._http.aclose()
        await self._storage.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.aclose()

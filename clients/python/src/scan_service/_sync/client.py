"""The client."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Self

import httpx

from .._retries import RetryPolicy
from .._version import USER_AGENT
from ..generated.api.account import get_me, get_wallet
from ..generated.api.knowledge import search
from ..generated.client import AuthenticatedClient
from ..generated.models import Me, SearchHit, SearchHitList, Wallet
from ..generated.types import UNSET, Response, Unset
from .events import Events
from .pages import PAGE_SIZE, expect, iterate
from .scans import Scans
from .spaces import Spaces
from .transport import RetryingTransport
from .uploads import Uploader

#: The API of `scan up` on this machine.
_LOCAL_URL = "http://127.0.0.1:8080/v1"
#: Uploads and the service itself never pause for longer. In seconds.
_TIMEOUT = httpx.Timeout(60.0, connect=10.0)


class ScanClient:
    """A client of Scan Service with one key. Use it as a context manager, or close it.

    `api_key` and `base_url` default to the environment variables `SCAN_API_KEY` and `SCAN_API_URL`.
    """

    #: Operations on spaces: records, documents, questions, comparisons.
    spaces: Spaces
    #: Operations on scans: create, upload, start, wait.
    scans: Scans
    #: Events of the account.
    events: Events
    #: The generated client, for operations without a method here: pass it to `generated.api` functions.
    api: AuthenticatedClient

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        retries: RetryPolicy = RetryPolicy(),
        timeout: httpx.Timeout = _TIMEOUT,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        key = api_key or os.environ.get("SCAN_API_KEY")
        if not key:
            raise ValueError("pass api_key, or set SCAN_API_KEY")
        url = (base_url or os.environ.get("SCAN_API_URL") or _LOCAL_URL).rstrip("/")
        retrying = RetryingTransport(transport or httpx.HTTPTransport(), retries)
        headers = {"Authorization": f"Bearer {key}", "User-Agent": USER_AGENT}
        self._http = httpx.Client(base_url=url, headers=headers, timeout=timeout, transport=retrying)
        # Both clients share connections.
        self._storage = httpx.Client(
            headers={"User-Agent": USER_AGENT}, timeout=timeout, transport=retrying
        )
        self.api = AuthenticatedClient(base_url=url, token=key)
        self.api.set_httpx_client(self._http)
        self.spaces = Spaces(self.api)
        self.scans = Scans(self.api, Uploader(self._http, self._storage, retries))
        self.events = Events(self.api, self._http, retries)

    def search(
        self, query: str, *, space_type: str | None = None, page_size: int = PAGE_SIZE
    ) -> Iterator[SearchHit]:
        """Iterates over the spaces that match a query, best first."""

        def fetch(cursor: str | Unset) -> Response[Any]:
            return search.sync_detailed(
                client=self.api, q=query, space_type=space_type or UNSET, limit=page_size, cursor=cursor
            )

        return iterate(fetch, SearchHitList)

    def me(self) -> Me:
        """Returns the owner of the key, and the key."""
        return expect(get_me.sync_detailed(client=self.api), Me)

    def wallet(self) -> Wallet:
        """Returns the balance and the free scans."""
        return expect(get_wallet.sync_detailed(client=self.api), Wallet)

    def download(self, url: str) -> bytes:
        """Returns the bytes behind a signed `url`, for example of a frame. It is valid for an hour."""
        return (self._storage.get(url)).content

    def close(self) -> None:
        """Closes all connections."""
        self._http.close()
        self._storage.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

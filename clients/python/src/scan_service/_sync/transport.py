"""Sends requests: repeats them while that may help, and raises typed errors."""

from __future__ import annotations

import httpx

from .._retries import RetryPolicy, is_repeatable, is_transient, retry_after_seconds
from ..errors import ApiConnectionError, error_of
from ._io import sleep


class RetryingTransport(httpx.BaseTransport):
    """Wraps a transport. Successful responses pass; all others become errors."""

    def __init__(self, inner: httpx.BaseTransport, policy: RetryPolicy) -> None:
        self._inner = inner
        self._policy = policy

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        # Before the first attempt, which may use up the body.
        repeatable = is_repeatable(request)
        retries = 0
        while True:
            response, error = None, None
            try:
                response = self._inner.handle_request(request)
            except httpx.TransportError as caught:
                error = caught
            if response is not None:
                if response.status_code < 400:
                    return response
                response.read()
                response.close()
                response.request = request
                wait = None
                if is_transient(response.status_code, repeatable):
                    wait = self._policy.wait(retries, retry_after_seconds(response))
                if wait is None:
                    raise error_of(response)
            else:
                # Without a connection, nothing was sent.
                unsent = isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))
                wait = self._policy.wait(retries) if unsent or repeatable else None
                if wait is None:
                    raise ApiConnectionError(f"{request.method} {request.url}: {error!r}") from error
            sleep(wait)
            retries += 1

    def close(self) -> None:
        self._inner.close()

"""Decides whether and when a request is sent again."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import httpx

#: POST operations that change nothing, or change the same thing once, however often they are sent.
_REPEATABLE_POSTS = ("/ask", "/start", "/retry")
#: The service could not respond, or the request did not reach it.
_TRANSIENT_STATUSES = frozenset({408, 500, 502, 503, 504})


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how long requests are repeated. All times are in seconds."""

    #: Maximum number of repetitions of one request. 0 turns repetitions off.
    max_retries: int = 5
    #: Upper bound of the first wait. It doubles with each repetition.
    first_wait: float = 0.5
    #: Maximum wait. A longer `Retry-After` is not waited for: the error is raised at once.
    max_wait: float = 60.0

    def wait(self, retries: int, retry_after: float | None = None) -> float | None:
        """Returns the wait before the next repetition, or None if there is none."""
        if retries >= self.max_retries:
            return None
        if retry_after is not None:
            # Never earlier than the service says. Jitter keeps clients from returning together.
            return retry_after + random.uniform(0, self.first_wait) if retry_after <= self.max_wait else None
        bound = min(self.max_wait, self.first_wait * 2.0**retries)
        return random.uniform(bound / 2, bound)


def is_repeatable(request: httpx.Request) -> bool:
    """Returns whether a request may be sent again although its first copy may have arrived."""
    if not isinstance(request.stream, httpx.ByteStream):
        return False
    if request.method != "POST":
        return True
    return "idempotency-key" in request.headers or request.url.path.endswith(_REPEATABLE_POSTS)


def is_transient(status: int, repeatable: bool) -> bool:
    """Returns whether a response is worth another attempt."""
    # A request over a limit was refused before it did anything.
    return status == 429 or (status in _TRANSIENT_STATUSES and repeatable)


def retry_after_seconds(response: httpx.Response) -> float | None:
    """Parses `Retry-After`: seconds, or a date."""
    value = response.headers.get("retry-after")
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None

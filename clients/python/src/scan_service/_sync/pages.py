"""Lists as iterators over all pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeVar

from ..generated.types import UNSET, Response, Unset

T = TypeVar("T")

#: Number of items requested at a time: the maximum.
PAGE_SIZE = 100


class Page(Protocol[T]):
    data: list[T]
    next_cursor: None | str


def iterate(fetch: Callable[[str | Unset], Response[Any]], page: type[Page[T]]) -> Iterator[T]:
    """Yields the items of every page. Requests a page when the one before is used up."""
    cursor: str | Unset = UNSET
    while True:
        found: Page[T] = expect(fetch(cursor), page)
        for item in found.data:
            yield item
        if found.next_cursor is None:
            return
        cursor = found.next_cursor


def expect(response: Response[Any], kind: type[T]) -> T:
    """Returns the body of a successful response. The transport has raised all errors."""
    body = response.parsed
    if body is None:
        raise TypeError(f"the API returned status {response.status_code} and no {kind.__name__}")
    found: T = body
    return found

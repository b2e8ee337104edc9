"""Spaces: their record, their Space Document, questions and comparisons."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from ..generated.api.knowledge import ask_space, diff_space, get_skill
from ..generated.api.spaces import (
    correct_document,
    create_space,
    delete_correction,
    delete_space,
    get_space,
    list_corrections,
    list_spaces,
    update_space,
)
from ..generated.client import AuthenticatedClient
from ..generated.models import (
    Answer,
    Correction,
    CorrectionList,
    Corrections,
    Diff,
    DocumentCorrections,
    NewCorrection,
    NewSpace,
    Question,
    Skill,
    Space,
    SpaceChanges,
    SpaceList,
    SpaceWithDocument,
)
from ..generated.types import UNSET, Response, Unset
from .pages import PAGE_SIZE, expect, iterate


class AsyncSpaces:
    """Operations on spaces."""

    def __init__(self, api: AuthenticatedClient) -> None:
        self._api = api

    async def create(
        self, name: str, space_type: str, *, external_id: str | None = None, description: str | None = None
    ) -> Space:
        """Creates a space. `space_type` is a label of yours, for example `apartment`."""
        body = NewSpace(name, space_type, external_id or UNSET, description or UNSET)
        return expect(await create_space.asyncio_detailed(client=self._api, body=body), Space)

    async def get(self, space_id: str) -> SpaceWithDocument:
        """Returns a space with its newest Space Document. `document` is None before the first scan."""
        return expect(await get_space.asyncio_detailed(space_id, client=self._api), SpaceWithDocument)

    def list(
        self, *, external_id: str | None = None, space_type: str | None = None, page_size: int = PAGE_SIZE
    ) -> AsyncIterator[Space]:
        """Iterates over spaces, newest first."""

        async def fetch(cursor: str | Unset) -> Response[Any]:
            return await list_spaces.asyncio_detailed(
                client=self._api,
                limit=page_size,
                cursor=cursor,
                external_id=external_id or UNSET,
                space_type=space_type or UNSET,
            )

        return iterate(fetch, SpaceList)

    async def update(self, space_id: str, changes: SpaceChanges) -> Space:
        """Changes the given fields of a space."""
        return expect(await update_space.asyncio_detailed(space_id, client=self._api, body=changes), Space)

    async def delete(self, space_id: str) -> None:
        """Deletes a space with its scans and media."""
        await delete_space.asyncio_detailed(space_id, client=self._api)

    async def ask(self, space_id: str, question: str, *, scan_id: str | None = None) -> Answer:
        """Answers a question from a Space Document, with citations, or abstains."""
        body = Question(question, scan_id or UNSET)
        return expect(await ask_space.asyncio_detailed(space_id, client=self._api, body=body), Answer)

    async def diff(self, space_id: str, *, from_scan: str | None = None, to_scan: str | None = None) -> Diff:
        """Compares two scans of a space; by default, the last two."""
        response = await diff_space.asyncio_detailed(
            space_id, client=self._api, from_=from_scan or UNSET, to=to_scan or UNSET
        )
        return expect(response, Diff)

    async def skill(self, space_id: str) -> Skill:
        """Returns the Agent Skill of a space: a folder of files for an agent."""
        return expect(await get_skill.asyncio_detailed(space_id, client=self._api), Skill)

    async def correct(
        self, space_id: str, corrections: Sequence[NewCorrection], *, scan_id: str | None = None
    ) -> DocumentCorrections:
        """Corrects the newest Space Document, or that of `scan_id`: all corrections or none."""
        body = Corrections(list(corrections), scan_id or UNSET)
        response = await correct_document.asyncio_detailed(space_id, client=self._api, body=body)
        return expect(response, DocumentCorrections)

    def corrections(self, space_id: str, *, page_size: int = PAGE_SIZE) -> AsyncIterator[Correction]:
        """Iterates over the corrections of a space, newest first."""

        async def fetch(cursor: str | Unset) -> Response[Any]:
            return await list_corrections.asyncio_detailed(
                space_id, client=self._api, limit=page_size, cursor=cursor
            )

        return iterate(fetch, CorrectionList)

    async def delete_correction(self, space_id: str, correction_id: str) -> None:
        """Withdraws a correction."""
        await delete_correction.asyncio_detailed(space_id, correction_id, client=self._api)

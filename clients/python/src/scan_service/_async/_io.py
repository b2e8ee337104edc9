"""Waiting and reading without blocking the event loop."""

import asyncio
from typing import BinaryIO

sleep = asyncio.sleep


async def read(file: BinaryIO, size: int) -> bytes:
    return await asyncio.to_thread(file.read, size)

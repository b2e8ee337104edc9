"""Waiting and reading."""

import time
from typing import BinaryIO

sleep = time.sleep


def read(file: BinaryIO, size: int) -> bytes:
    return file.read(size)

"""Writes the synchronous client from the asynchronous one: `_sync/*.py` from `_async/*.py`."""

import re
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src/scan_service"
#: Written by hand in both.
BY_HAND = ("_io.py", "__init__.py")
#: Replaced in this order.
REPLACEMENTS = [
    (r"\basync (def|for|with)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\bAwaitable\[(.*?)\](?=[\],])", r"\1"),
    (r"AsyncIterator, Awaitable, Callable", "Callable, Iterator"),
    (r"import AsyncIterator, Callable", "import Callable, Iterator"),
    (r"import AsyncIterator, Sequence", "import Iterator, Sequence"),
    (r"\bAsync(Iterator|Scans|Spaces|Events|Uploader|ScanClient|RetryingTransport|Client|BaseTransport|HTTPTransport)\b", r"\1"),
    (r"\bhandle_async_request\b", "handle_request"),
    (r"\basyncio_detailed\b", "sync_detailed"),
    (r"\bset_async_httpx_client\b", "set_httpx_client"),
    (r"\ba(read|close|iter_lines)\b", r"\1"),
    (r"\b__a(enter|exit)__\b", r"__\1__"),
]


def unasync(text: str) -> str:
    for pattern, replacement in REPLACEMENTS:
        text = re.sub(pattern, replacement, text)
    return text


def main() -> int:
    """Writes the files, or with `--check` returns 1 if any is out of date."""
    stale = []
    for source in sorted((PACKAGE / "_async").glob("*.py")):
        if source.name in BY_HAND:
            continue
        target = PACKAGE / "_sync" / source.name
        text = unasync(source.read_text())
        if not target.is_file() or target.read_text() != text:
            stale.append(target.name)
            if "--check" not in sys.argv:
                target.write_text(text)
    if stale and "--check" in sys.argv:
        print(f"out of date: {stale}; run scripts/unasync.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

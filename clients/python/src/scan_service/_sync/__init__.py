"""The synchronous client. `scripts/unasync.py` writes these files from `_async`."""

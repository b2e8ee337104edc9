"""The asynchronous client. `scripts/unasync.py` writes the synchronous one from these files."""

"""Client of Scan Service. `ScanClient` blocks; `AsyncScanClient` has the same methods as coroutines."""

from . import errors, models, webhooks
from ._async.client import AsyncScanClient
from ._media import Media, UploadProgress
from ._retries import RetryPolicy
from ._sync.client import ScanClient
from ._version import VERSION as __version__
from .errors import (
    ApiConnectionError,
    ApiError,
    ScanEndedError,
    ScanServiceError,
    WaitTimeoutError,
    WebhookSignatureError,
)

__all__ = [
    "ApiConnectionError",
    "ApiError",
    "AsyncScanClient",
    "Media",
    "RetryPolicy",
    "ScanClient",
    "ScanEndedError",
    "ScanServiceError",
    "UploadProgress",
    "WaitTimeoutError",
    "WebhookSignatureError",
    "__version__",
    "errors",
    "models",
    "webhooks",
]

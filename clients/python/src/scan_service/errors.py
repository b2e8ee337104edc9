"""Errors of the library: one class for each error code that a key can get."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from ._retries import retry_after_seconds
from .generated.models import Scan


class ScanServiceError(Exception):
    """Base class of every error that this library raises."""


class ApiConnectionError(ScanServiceError):
    """The service could not be reached, or the connection was lost."""


class WebhookSignatureError(ScanServiceError):
    """A webhook request was not signed with this secret, or not recently."""


class WaitTimeoutError(ScanServiceError):
    """A scan did not end within the given time. It goes on; wait again."""


class ScanEndedError(ScanServiceError):
    """A scan failed or was cancelled. `scan.error` has the reason of a failure."""

    def __init__(self, scan: Scan) -> None:
        self.scan = scan
        #: Code of the failure, for example `MEDIA_UNREADABLE`; None if the scan was cancelled.
        self.code: str | None = str(scan.error.code) if scan.error else None
        #: Whether a retry of the scan may succeed.
        self.retryable: bool = scan.error.retryable if scan.error else False
        reason = f": {self.code}: {scan.error.message}" if scan.error else ""
        super().__init__(f"scan {scan.id} is {scan.status}{reason}")


@dataclass(frozen=True)
class InvalidField:
    """An invalid field of a request: its path, and why it is invalid."""

    field: str
    message: str


class ApiError(ScanServiceError):
    """An error response. Branch on its class or on `code`; `message` is for people and may change."""

    #: HTTP status.
    status: int
    #: Stable code, for example `INSUFFICIENT_FUNDS`.
    code: str
    #: Message for people.
    message: str
    #: Id of the request. Quote it to support.
    request_id: str | None
    #: Seconds to wait before a retry, if the service said so.
    retry_after: float | None
    #: Every invalid field, for `VALIDATION_FAILED`.
    fields: list[InvalidField]
    #: The error object, with the fields that depend on the code, such as `balance_cents`.
    detail: Mapping[str, Any]

    def __init__(
        self, status: int, detail: Mapping[str, Any], retry_after: float | None = None, request_id: str | None = None
    ) -> None:
        self.status = status
        self.code = str(detail.get("code", "UNEXPECTED_RESPONSE"))
        self.message = str(detail.get("message", ""))
        self.request_id = detail.get("request_id") or request_id
        self.retry_after = retry_after
        fields = detail.get("fields") or []
        self.fields = [InvalidField(str(f.get("field")), str(f.get("message"))) for f in fields]
        self.detail = detail
        text = f"{self.code} ({status}): {self.message}"
        text += "".join(f"; {f.field}: {f.message}" for f in self.fields)
        super().__init__(text + (f" [request {self.request_id}]" if self.request_id else ""))


# One class for each status, and below it one for each code.


class InvalidRequestError(ApiError):
    """400, 405, 413, 415, 422: the request itself is wrong."""


class AuthenticationError(ApiError):
    """401: the key is missing or wrong."""


class PaymentRequiredError(ApiError):
    """402: money is missing."""


class PermissionDeniedError(ApiError):
    """403: the key may not do this."""


class NotFoundError(ApiError):
    """404: nothing with this id exists for this key."""


class ConflictError(ApiError):
    """409: the state of the resource does not allow the request."""


class TooManyRequestsError(ApiError):
    """429: a limit is reached. Wait for `retry_after` seconds."""


class ServerError(ApiError):
    """408 and 5xx: the service could not respond. The same request may succeed later."""


class ValidationFailedError(InvalidRequestError):
    """`VALIDATION_FAILED`: `fields` names every invalid field."""


class UploadMismatchError(InvalidRequestError):
    """`UPLOAD_MISMATCH`: the uploaded bytes are not what was declared."""


class PayloadTooLargeError(InvalidRequestError):
    """`PAYLOAD_TOO_LARGE`: the body exceeds the limit of the operation."""


class UnsupportedMediaTypeError(InvalidRequestError):
    """`UNSUPPORTED_MEDIA_TYPE`: the type of the body is not accepted."""


class IdempotencyKeyReusedError(InvalidRequestError):
    """`IDEMPOTENCY_KEY_REUSED`: the key was used with another request."""


class InvalidApiKeyError(AuthenticationError):
    """`INVALID_API_KEY`: the key is unknown, expired or revoked."""


class InsufficientFundsError(PaymentRequiredError):
    """`INSUFFICIENT_FUNDS`: neither free scans nor money are left. Nothing was charged."""


class SpendingCapReachedError(PaymentRequiredError):
    """`SPENDING_CAP_REACHED`: the key has spent what it may spend."""


class InsufficientScopeError(PermissionDeniedError):
    """`INSUFFICIENT_SCOPE`: the key lacks a scope."""


class EmailNotConfirmedError(PermissionDeniedError):
    """`EMAIL_NOT_CONFIRMED`: live mode needs a confirmed e-mail address."""


class SpaceLimitError(ConflictError):
    """`SPACE_LIMIT`: the account has the maximum number of spaces."""


class SpaceBusyError(ConflictError):
    """`SPACE_BUSY`: a scan of the space is in progress."""


class SpaceNotDeletableError(ConflictError):
    """`SPACE_NOT_DELETABLE`: the space was not created through the API."""


class NoDocumentError(ConflictError):
    """`NO_DOCUMENT`: the space has no complete scan yet, or too few to compare."""


class ShareLimitError(ConflictError):
    """`SHARE_LIMIT`: the space has the maximum number of active share links."""


class UnstartedScanLimitError(ConflictError):
    """`UNSTARTED_SCAN_LIMIT`: too many scans await their upload."""


class UploadQuotaExceededError(ConflictError):
    """`UPLOAD_QUOTA_EXCEEDED`: unstarted scans hold too many bytes."""


class UploadIncompleteError(ConflictError):
    """`UPLOAD_INCOMPLETE`: a declared file was not uploaded."""


class ScanAlreadyStartedError(ConflictError):
    """`SCAN_ALREADY_STARTED`: its media cannot change any more."""


class ScanCancelledError(ConflictError):
    """`SCAN_CANCELLED`: the scan was cancelled."""


class ScanNotCancellableError(ConflictError):
    """`SCAN_NOT_CANCELLABLE`: only a scan that awaits its upload can be cancelled."""


class ScanNotRetryableError(ConflictError):
    """`SCAN_NOT_RETRYABLE`: the scan did not fail because of the service."""


class ScanMediaDeletedError(ConflictError):
    """`SCAN_MEDIA_DELETED`: the media of the failed scan are no longer stored."""


class RateLimitExceededError(TooManyRequestsError):
    """`RATE_LIMIT_EXCEEDED`: too many requests."""


class ScansInProgressError(TooManyRequestsError):
    """`SCANS_IN_PROGRESS`: the maximum number of scans is in progress."""


class EventStreamLimitError(TooManyRequestsError):
    """`EVENT_STREAM_LIMIT`: too many event streams are open."""


class RequestTimeoutError(ServerError):
    """`REQUEST_TIMEOUT`: the request was not received in time."""


class InternalError(ServerError):
    """`INTERNAL`: a defect of the service. Quote `request_id`."""


class UnavailableError(ServerError):
    """`UNAVAILABLE`: a part of the service is down. Try again later."""


class EngineUnavailableError(UnavailableError):
    """`ENGINE_UNAVAILABLE`: scans cannot be started at the moment. Nothing was charged twice."""


CLASS_BY_CODE: dict[str, type[ApiError]] = {
    "VALIDATION_FAILED": ValidationFailedError,
    "UPLOAD_MISMATCH": UploadMismatchError,
    "PAYLOAD_TOO_LARGE": PayloadTooLargeError,
    "UNSUPPORTED_MEDIA_TYPE": UnsupportedMediaTypeError,
    "IDEMPOTENCY_KEY_REUSED": IdempotencyKeyReusedError,
    "UNAUTHENTICATED": AuthenticationError,
    "INVALID_API_KEY": InvalidApiKeyError,
    "INSUFFICIENT_FUNDS": InsufficientFundsError,
    "SPENDING_CAP_REACHED": SpendingCapReachedError,
    "INSUFFICIENT_SCOPE": InsufficientScopeError,
    "EMAIL_NOT_CONFIRMED": EmailNotConfirmedError,
    "NOT_FOUND": NotFoundError,
    "SPACE_LIMIT": SpaceLimitError,
    "SPACE_BUSY": SpaceBusyError,
    "SPACE_NOT_DELETABLE": SpaceNotDeletableError,
    "NO_DOCUMENT": NoDocumentError,
    "SHARE_LIMIT": ShareLimitError,
    "UNSTARTED_SCAN_LIMIT": UnstartedScanLimitError,
    "UPLOAD_QUOTA_EXCEEDED": UploadQuotaExceededError,
    "UPLOAD_INCOMPLETE": UploadIncompleteError,
    "SCAN_ALREADY_STARTED": ScanAlreadyStartedError,
    "SCAN_CANCELLED": ScanCancelledError,
    "SCAN_NOT_CANCELLABLE": ScanNotCancellableError,
    "SCAN_NOT_RETRYABLE": ScanNotRetryableError,
    "SCAN_MEDIA_DELETED": ScanMediaDeletedError,
    "RATE_LIMIT_EXCEEDED": RateLimitExceededError,
    "SCANS_IN_PROGRESS": ScansInProgressError,
    "EVENT_STREAM_LIMIT": EventStreamLimitError,
    "REQUEST_TIMEOUT": RequestTimeoutError,
    "INTERNAL": InternalError,
    "UNAVAILABLE": UnavailableError,
    "ENGINE_UNAVAILABLE": EngineUnavailableError,
}

_CLASS_BY_STATUS: dict[int, type[ApiError]] = {
    401: AuthenticationError,
    402: PaymentRequiredError,
    403: PermissionDeniedError,
    404: NotFoundError,
    408: ServerError,
    409: ConflictError,
    429: TooManyRequestsError,
}


def error_of(response: httpx.Response) -> ApiError:
    """Builds the error of a response whose body has been read."""
    try:
        detail = json.loads(response.content)["error"]
        detail = detail if isinstance(detail, dict) else {}
    except (ValueError, KeyError, TypeError):
        # A response of storage or a proxy.
        detail = {"message": response.text[:300]}
    status = response.status_code
    by_status = _CLASS_BY_STATUS.get(status, ServerError if status >= 500 else InvalidRequestError)
    kind = CLASS_BY_CODE.get(str(detail.get("code")), by_status)
    return kind(status, detail, retry_after_seconds(response), response.headers.get("x-request-id"))

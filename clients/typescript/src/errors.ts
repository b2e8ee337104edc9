/** Errors of the library. */

import type { ApiErrorCode, Scan } from "./types.js";

/** Base class of every error that this library throws. */
export class ScanServiceError extends Error {
  override name = this.constructor.name;
}

/** The service could not be reached, or the connection was lost. `cause` says why. */
export class ApiConnectionError extends ScanServiceError {}

/** A webhook request was not signed with this secret, or not recently. */
export class WebhookSignatureError extends ScanServiceError {}

/** A scan did not end within the given time. It goes on; wait again. */
export class WaitTimeoutError extends ScanServiceError {}

/** A scan failed or was cancelled. */
export class ScanEndedError extends ScanServiceError {
  /** Code of the failure, for example `MEDIA_UNREADABLE`; undefined if the scan was cancelled. */
  readonly code: string | undefined;
  /** Whether a retry of the scan may succeed. */
  readonly retryable: boolean;

  constructor(readonly scan: Scan) {
    const reason = scan.error ? `: ${scan.error.code}: ${scan.error.message}` : "";
    super(`scan ${scan.id} is ${scan.status}${reason}`);
    this.code = scan.error?.code;
    this.retryable = scan.error?.retryable ?? false;
  }
}

/** Code of an error: one of the contract, or one that a newer service has added. */
export type ErrorCode = ApiErrorCode | (string & {});

/** An invalid field of a request: its path, and why it is invalid. */
export interface InvalidField {
  field: string;
  message: string;
}

/** An error response. Branch on `code` or on the class; `message` is for people and may change. */
export class ApiError extends ScanServiceError {
  /** Stable code, for example `INSUFFICIENT_FUNDS`. */
  readonly code: ErrorCode;
  /** Id of the request. Quote it to support. */
  readonly requestId: string | undefined;
  /** Every invalid field, for `VALIDATION_FAILED`. */
  readonly fields: readonly InvalidField[];

  constructor(
    /** HTTP status. */
    readonly status: number,
    /** The error object, with the fields that depend on the code, such as `balance_cents`. */
    readonly detail: Readonly<Record<string, unknown>>,
    /** Seconds to wait before a retry, if the service said so. */
    readonly retryAfter: number | undefined,
    requestId: string | undefined,
  ) {
    const code = typeof detail["code"] === "string" ? detail["code"] : UNEXPECTED_RESPONSE;
    const fields = (Array.isArray(detail["fields"]) ? detail["fields"] : []) as InvalidField[];
    const id = typeof detail["request_id"] === "string" ? detail["request_id"] : requestId;
    let text = `${code} (${status}): ${String(detail["message"] ?? "")}`;
    for (const field of fields) text += `; ${field.field}: ${field.message}`;
    super(id === undefined ? text : `${text} [request ${id}]`);
    this.code = code;
    this.fields = fields;
    this.requestId = id;
  }
}

/** 400, 405, 413, 415, 422: the request itself is wrong. */
export class InvalidRequestError extends ApiError {}
/** 401: the key is missing or wrong. */
export class AuthenticationError extends ApiError {}
/** 402: money is missing, or the key has reached its cap. */
export class PaymentRequiredError extends ApiError {}
/** 403: the key may not do this. */
export class PermissionDeniedError extends ApiError {}
/** 404: nothing with this id exists for this key. */
export class NotFoundError extends ApiError {}
/** 409: the state of the resource does not allow the request. */
export class ConflictError extends ApiError {}
/** 429: a limit is reached. Wait for `retryAfter` seconds. */
export class TooManyRequestsError extends ApiError {}
/** 408 and 5xx: the service could not respond. The same request may succeed later. */
export class ServerError extends ApiError {}

/** Code of responses that have no error object: those of storage or a proxy. */
export const UNEXPECTED_RESPONSE = "UNEXPECTED_RESPONSE";

const CLASS_BY_STATUS: Record<number, typeof ApiError> = {
  401: AuthenticationError,
  402: PaymentRequiredError,
  403: PermissionDeniedError,
  404: NotFoundError,
  408: ServerError,
  409: ConflictError,
  429: TooManyRequestsError,
};

/** Returns whether an error is an error response with one of these codes. */
export function hasCode(error: unknown, ...codes: ErrorCode[]): error is ApiError {
  return error instanceof ApiError && codes.includes(error.code);
}

/** Builds the error of a response, and reads its body. */
export async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => "");
  let detail: Record<string, unknown> | undefined;
  try {
    const body = JSON.parse(text) as { error?: unknown };
    if (typeof body.error === "object" && body.error !== null) detail = { ...body.error };
  } catch {
    // Not JSON.
  }
  const { status } = response;
  const Kind = CLASS_BY_STATUS[status] ?? (status >= 500 ? ServerError : InvalidRequestError);
  const requestId = response.headers.get("x-request-id") ?? undefined;
  return new Kind(status, detail ?? { message: text.slice(0, 300) }, retryAfterSeconds(response), requestId);
}

/** Parses `Retry-After`: seconds, or a date. */
export function retryAfterSeconds(response: Response): number | undefined {
  const value = response.headers.get("retry-after");
  if (value === null) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

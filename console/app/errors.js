// Errors of the API.

/** An error response, or a request without a response (`code` is `NETWORK`). */
export class ApiError extends Error {
  /**
   * @param {number} status HTTP status; 0 without a response
   * @param {{ code: string, message: string, request_id?: string,
   *   fields?: { field: string, message: string }[], [name: string]: unknown }} detail
   * @param {number | null} [retryAfter] seconds
   */
  constructor(status, detail, retryAfter = null) {
    super(detail.message);
    this.status = status;
    this.code = detail.code;
    this.requestId = detail.request_id ?? null;
    this.fields = detail.fields ?? [];
    this.detail = detail;
    this.retryAfter = retryAfter;
  }

  /** Path of the page that explains the error, if it has one. */
  get help() {
    return this.code === 'NETWORK' ? null : `/docs/errors/${this.code}`;
  }
}

/** @param {unknown} error */
export function asApiError(error) {
  if (error instanceof ApiError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ApiError(0, { code: 'CONSOLE', message });
}

/** Returns the error of a request that got no response. */
export function networkError() {
  const message = 'The service did not respond. Check your connection; the page tries again by itself.';
  return new ApiError(0, { code: 'NETWORK', message });
}

/**
 * Returns the error of a response.
 * @param {Response} response
 */
export async function errorOf(response) {
  const after = Number(response.headers.get('retry-after'));
  const retryAfter = Number.isFinite(after) && after > 0 ? after : null;
  const body = await response.json().catch(() => null);
  const detail = body?.error ?? { code: 'INTERNAL', message: `The service responded with ${response.status}.` };
  return new ApiError(response.status, detail, retryAfter);
}

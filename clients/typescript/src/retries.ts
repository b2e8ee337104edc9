/** Decides whether and when a request is sent again, and sends it. */

import { setTimeout as sleep } from "node:timers/promises";

import { ApiConnectionError, errorOf, retryAfterSeconds } from "./errors.js";

/** How often and how long requests are repeated. All times are in seconds. */
export interface RetryOptions {
  /** Maximum number of repetitions of one request; 0 turns repetitions off. Default: 5. */
  maxRetries?: number;
  /** Upper bound of the first wait. It doubles with each repetition. Default: 0.5. */
  firstWait?: number;
  /** Maximum wait. A longer `Retry-After` is not waited for: the error is thrown at once. Default: 60. */
  maxWait?: number;
}

/** Decides how long to wait before a repetition. */
export class RetryPolicy {
  readonly maxRetries: number;
  readonly firstWait: number;
  readonly maxWait: number;

  constructor(options: RetryOptions = {}) {
    this.maxRetries = options.maxRetries ?? 5;
    this.firstWait = options.firstWait ?? 0.5;
    this.maxWait = options.maxWait ?? 60;
  }

  /** Returns the wait before the next repetition in seconds, or undefined if there is none. */
  wait(retries: number, retryAfter?: number): number | undefined {
    if (retries >= this.maxRetries) return undefined;
    if (retryAfter !== undefined) {
      // Never earlier than the service says. Jitter keeps clients from returning together.
      return retryAfter <= this.maxWait ? retryAfter + Math.random() * this.firstWait : undefined;
    }
    const bound = Math.min(this.maxWait, this.firstWait * 2 ** retries);
    return bound / 2 + (Math.random() * bound) / 2;
  }
}

/** Waits for some seconds. */
export async function pause(seconds: number, signal?: AbortSignal): Promise<void> {
  await sleep(seconds * 1000, undefined, signal ? { signal } : {});
}

export type Fetch = (request: Request) => Promise<Response>;

/** The service could not respond, or the request did not reach it. */
const TRANSIENT_STATUSES = new Set([408, 500, 502, 503, 504]);
/** POST operations that change nothing, or change the same thing once, however often they are sent. */
const REPEATABLE_POSTS = /\/(ask|start|retry)$/;
/** Codes of errors before anything was sent. */
const UNSENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);

/** Returns a function that repeats requests while that may help, and throws typed errors. */
export function retryingFetch(send: Fetch, policy: RetryPolicy, timeoutMs: number): Fetch {
  return async (request) => {
    const repeatable = isRepeatable(request);
    for (let retries = 0; ; retries += 1) {
      let wait: number | undefined;
      try {
        const response = await send(withTimeout(request.clone(), timeoutMs));
        if (response.ok) return response;
        // A request over a limit was refused before it did anything.
        const transient = response.status === 429 || (repeatable && TRANSIENT_STATUSES.has(response.status));
        wait = transient ? policy.wait(retries, retryAfterSeconds(response)) : undefined;
        if (wait === undefined) throw await errorOf(response);
        await response.body?.cancel();
      } catch (error) {
        if (!isConnectionError(error) || request.signal.aborted) throw error;
        wait = repeatable || isUnsent(error) ? policy.wait(retries) : undefined;
        if (wait === undefined) throw connectionError(request.method, request.url, error);
      }
      await pause(wait, request.signal);
    }
  };
}

/** Wraps an error of `fetch`. */
export function connectionError(method: string, url: string, cause: unknown): ApiConnectionError {
  const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return new ApiConnectionError(`${method} ${url}: ${String(reason)}`, { cause });
}

/** Returns whether `fetch` failed without a response: it throws `TypeError`, or the time ran out. */
export function isConnectionError(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof DOMException && error.name === "TimeoutError");
}

function withTimeout(request: Request, timeoutMs: number): Request {
  return new Request(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]) });
}

/** Returns whether a request may be sent again although its first copy may have arrived. */
function isRepeatable(request: Request): boolean {
  if (request.method !== "POST") return true;
  return request.headers.has("idempotency-key") || REPEATABLE_POSTS.test(new URL(request.url).pathname);
}

function isUnsent(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  return typeof cause?.code === "string" && UNSENT.has(cause.code);
}

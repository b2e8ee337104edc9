/** Uploads of media: streamed from disk, with progress, repeated after a lost connection. */

import { createReadStream } from "node:fs";

import {
  ApiConnectionError,
  ApiError,
  PermissionDeniedError,
  ServerError,
  TooManyRequestsError,
  UNEXPECTED_RESPONSE,
  errorOf,
} from "./errors.js";
import { type MediaFile, type UploadProgress, isVideo } from "./media.js";
import { type Fetch, type RetryPolicy, connectionError, pause } from "./retries.js";
import type { Scan } from "./types.js";

const CHUNK_BYTES = 256 * 1024;

/** Uploads files to the API, or to storage with a signed URL. */
export class Uploader {
  constructor(
    private readonly baseUrl: string,
    private readonly headers: Record<string, string>,
    private readonly send: Fetch,
    private readonly policy: RetryPolicy,
    private readonly refresh: (scanId: string) => Promise<Scan>,
  ) {}

  /** Uploads all files that are not `finished`. Gets new instructions before it repeats one. */
  async upload(
    scan: Scan,
    files: readonly MediaFile[],
    finished: Set<number>,
    onProgress?: (progress: UploadProgress) => void,
  ): Promise<void> {
    const totalBytes = files.reduce((sum, file) => sum + file.size, 0);
    let stored = files.reduce((sum, file, index) => sum + (finished.has(index) ? file.size : 0), 0);
    const report = (sent: number) =>
      onProgress?.({
        sentBytes: stored + sent,
        totalBytes,
        finishedFiles: finished.size,
        totalFiles: files.length,
      });
    for (const [index, file] of files.entries()) {
      if (finished.has(index)) continue;
      for (let retries = 0; ; retries += 1) {
        try {
          await this.put(scan, index, file, report);
          break;
        } catch (error) {
          const retryAfter = error instanceof ApiError ? error.retryAfter : undefined;
          const wait = mayHelp(error) ? this.policy.wait(retries, retryAfter) : undefined;
          if (wait === undefined) throw error;
          await pause(wait);
        }
        scan = await this.refresh(scan.id);
      }
      finished.add(index);
      stored += file.size;
      report(0);
    }
  }

  private async put(scan: Scan, index: number, file: MediaFile, report: (sent: number) => void): Promise<void> {
    const { upload } = scan;
    if (!upload) throw new TypeError(`scan ${scan.id} is ${scan.status} and accepts no uploads`);
    const [url, own] = this.target(scan.id, upload.url, index, file);
    const headers = new Headers(upload.headers);
    // Photos may differ in type; the instructions name the type of a video.
    if (!isVideo(file) || !headers.has("content-type")) headers.set("content-type", file.contentType);
    headers.set("content-length", String(file.size));
    for (const [name, value] of Object.entries(own ? this.headers : {})) headers.set(name, value);
    const body = ReadableStream.from(chunks(file, report));
    const request = new Request(url, { method: "PUT", headers, body, duplex: "half" } as RequestInit);
    let response: Response;
    try {
      response = await this.send(request);
    } catch (error) {
      throw connectionError("PUT", url, error);
    }
    if (!response.ok) throw await errorOf(response);
    await response.body?.cancel();
  }

  /** Returns the URL, and whether it is the API's. The API is called at the address that this client uses. */
  private target(
    scanId: string,
    url: string | null | undefined,
    index: number,
    file: MediaFile,
  ): [url: string, own: boolean] {
    if (!isVideo(file)) return [`${this.baseUrl}/scans/${scanId}/frames/${index}`, true];
    const path = `/scans/${scanId}/video`;
    if (!url) return [this.baseUrl + path, true];
    const { pathname, search } = new URL(url);
    return pathname.endsWith(path) && search === "" ? [this.baseUrl + path, true] : [url, false];
  }
}

function mayHelp(error: unknown): boolean {
  // 403 of storage: the signed URL has expired. 403 of the API has a code.
  if (error instanceof PermissionDeniedError) return error.code === UNEXPECTED_RESPONSE;
  return (
    error instanceof ApiConnectionError || error instanceof ServerError || error instanceof TooManyRequestsError
  );
}

async function* chunks(file: MediaFile, report: (sent: number) => void): AsyncGenerator<Uint8Array, void> {
  let sent = 0;
  report(sent);
  for await (const chunk of createReadStream(file.path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    yield new Uint8Array(chunk);
    sent += chunk.length;
    report(sent);
  }
}

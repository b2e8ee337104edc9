/** Scans: create, upload, start, wait. */

import { randomUUID } from "node:crypto";

import { type Api, body } from "./api.js";
import { ScanEndedError, WaitTimeoutError } from "./errors.js";
import { type Media, type UploadProgress, declare, find } from "./media.js";
import { PAGE_SIZE, iterate } from "./pages.js";
import { pause } from "./retries.js";
import type { NewScan, Scan, ScanWithDocument, Transcript } from "./types.js";
import type { Uploader } from "./uploads.js";

export interface UploadOptions {
  onProgress?: (progress: UploadProgress) => void;
  /**
   * Indexes of photos that are stored. They are skipped, and each photo is added once it is stored:
   * pass the same set again to continue an upload that failed.
   */
  finished?: Set<number>;
}

export interface SubmitOptions extends UploadOptions {
  /** BCP 47 language of speech and signs. Default: `en`. */
  language?: string;
  /** Transcript, if you have one. */
  transcript?: Transcript;
  /** Calls with the same key create one scan. Default: a random key for each call. */
  idempotencyKey?: string;
}

export interface WaitOptions {
  /** Seconds; default: 3600. `Infinity` waits without end. */
  timeout?: number;
  /** Receives each status that is read. */
  onProgress?: (scan: Scan) => void;
  signal?: AbortSignal;
}

/** Waits between two requests for the status: it changes quickly at first, slowly later. In seconds. */
const FIRST_POLL = 0.5;
const LAST_POLL = 5;

/** Operations on scans. */
export class Scans {
  constructor(
    private readonly api: Api,
    private readonly uploader: Uploader,
  ) {}

  /**
   * Creates a scan of a video, of photos in order or of a folder of photos, uploads and starts it.
   *
   * Starting charges the wallet; a scan that fails is refunded. To continue after a crash of your
   * program, call it again with the same `idempotencyKey` and `finished`.
   */
  async submit(spaceId: string, media: Media, options: SubmitOptions = {}): Promise<Scan> {
    const files = await find(media);
    const { language = "en", transcript, idempotencyKey } = options;
    const key = idempotencyKey === undefined ? {} : { idempotencyKey };
    const scan = await this.create(spaceId, declare(files, language, transcript), key);
    if (scan.status === "awaiting_upload") await this.upload(scan, media, options);
    return this.start(scan.id);
  }

  /** Creates a scan and charges nothing. `upload` of the response says how to upload its media. */
  async create(spaceId: string, scan: NewScan, { idempotencyKey = randomUUID() as string } = {}): Promise<Scan> {
    const params = { path: { id: spaceId }, header: { "Idempotency-Key": idempotencyKey } };
    return body(await this.api.POST("/spaces/{id}/scans", { params, body: scan }));
  }

  /** Uploads the media of a scan. A file whose connection is lost is sent again. */
  async upload(scan: Scan, media: Media, options: UploadOptions = {}): Promise<void> {
    const finished = options.finished ?? new Set<number>();
    await this.uploader.upload(scan, await find(media), finished, options.onProgress);
  }

  /** Starts and charges an uploaded scan. Repeating it charges nothing again. */
  async start(id: string): Promise<Scan> {
    return body(await this.api.POST("/scans/{id}/start", { params: { path: { id } }, body: {} }));
  }

  /**
   * Waits until a scan is complete, and returns it.
   *
   * @throws {ScanEndedError} if it failed or was cancelled.
   * @throws {WaitTimeoutError} after the timeout.
   */
  async waitUntilComplete(id: string, { timeout = 3600, onProgress, signal }: WaitOptions = {}): Promise<Scan> {
    const deadline = performance.now() + timeout * 1000;
    for (let bound = FIRST_POLL; ; bound = Math.min(LAST_POLL, bound * 1.5)) {
      const scan = await this.get(id);
      onProgress?.(scan);
      if (scan.status === "complete") return scan;
      if (scan.status === "failed" || scan.status === "cancelled") throw new ScanEndedError(scan);
      const left = (deadline - performance.now()) / 1000;
      if (left <= 0) throw new WaitTimeoutError(`scan ${id} is still ${scan.status} after ${timeout} s`);
      // Jitter keeps clients that started together from asking together.
      await pause(Math.min(left, bound / 2 + (Math.random() * bound) / 2), signal);
    }
  }

  /** Returns a scan. While it awaits its upload, with fresh upload instructions. */
  async get(id: string): Promise<Scan> {
    return body(await this.api.GET("/scans/{id}", { params: { path: { id } } }));
  }

  /** Returns a scan with the document it wrote. */
  async getWithDocument(spaceId: string, scanId: string): Promise<ScanWithDocument> {
    const path = { id: spaceId, scan_id: scanId };
    return body(await this.api.GET("/spaces/{id}/scans/{scan_id}", { params: { path } }));
  }

  /** Iterates over the scans of a space, newest first. */
  list(spaceId: string, { pageSize: limit = PAGE_SIZE } = {}): AsyncGenerator<Scan, void> {
    const path = { id: spaceId };
    return iterate(async (cursor) => {
      const query = { limit, ...(cursor && { cursor }) };
      return body(await this.api.GET("/spaces/{id}/scans", { params: { path, query } }));
    });
  }

  /** Cancels a scan that awaits its upload. */
  async cancel(id: string): Promise<void> {
    await this.api.DELETE("/scans/{id}", { params: { path: { id } } });
  }

  /** Scans the media of a failed scan again, and returns the new scan. */
  async retry(id: string, { idempotencyKey = randomUUID() as string } = {}): Promise<Scan> {
    const params = { path: { id }, header: { "Idempotency-Key": idempotencyKey } };
    return body(await this.api.POST("/scans/{id}/retry", { params, body: {} }));
  }
}

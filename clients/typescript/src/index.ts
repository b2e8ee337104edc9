/** Client of Scan Service. */

export { ScanClient, type ClientOptions } from "./client.js";
export * from "./errors.js";
export type { Events, StreamOptions } from "./events.js";
export type { Media, UploadProgress } from "./media.js";
export type { Page } from "./pages.js";
export type { RetryOptions } from "./retries.js";
export type { Scans, SubmitOptions, UploadOptions, WaitOptions } from "./scans.js";
export type { Spaces } from "./spaces.js";
export type * from "./types.js";
export * as webhooks from "./webhooks.js";

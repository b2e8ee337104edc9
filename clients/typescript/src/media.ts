/** Media on this machine: their types, their declaration, and the progress of their upload. */

import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";

import type { NewScan, Transcript } from "./types.js";

/** A video, photos in order, or a folder of photos: paths of files. */
export type Media = string | readonly string[];

/** Progress of an upload. */
export interface UploadProgress {
  /** Bytes that were sent. They go back when a file is sent again after a lost connection. */
  sentBytes: number;
  /** Size of all files in bytes. */
  totalBytes: number;
  /** Number of files that were stored. */
  finishedFiles: number;
  /** Number of all files. */
  totalFiles: number;
}

/** A file to upload. */
export interface MediaFile {
  path: string;
  /** Media type, detected from the first bytes. */
  contentType: string;
  /** Size in bytes. */
  size: number;
}

export function isVideo(file: MediaFile): boolean {
  return file.contentType.startsWith("video/");
}

/** Finds the files of one video or of photos in upload order. Throws if a type is unknown or types are mixed. */
export async function find(media: Media): Promise<MediaFile[]> {
  let files: MediaFile[];
  if (typeof media === "string" && (await stat(media)).isDirectory()) {
    // In the order of file names. Other files of the folder are ignored.
    const entries = await readdir(media, { withFileTypes: true });
    const names = entries.filter((entry) => entry.isFile()).map((entry) => join(media, entry.name));
    const found = await Promise.all(names.sort().map(inspect));
    files = found.filter((file) => file !== undefined && !isVideo(file)) as MediaFile[];
  } else {
    files = await Promise.all((typeof media === "string" ? [media] : media).map(known));
  }
  if (files.length === 0) throw new TypeError("no media to scan");
  if (files.length > 1 && files.some(isVideo)) throw new TypeError("scan either one video or photos");
  return files;
}

/** Builds the request that creates a scan of these files. */
export function declare(files: readonly MediaFile[], language: string, transcript?: Transcript): NewScan {
  const words = transcript ? { transcript } : {};
  const first = files[0];
  if (first !== undefined && isVideo(first)) {
    const video = { content_type: first.contentType, content_length: first.size };
    return { input: { kind: "video", language, video, ...words } };
  }
  return { input: { kind: "frames", language, frames: files.map(() => ({})), ...words } };
}

async function known(path: string): Promise<MediaFile> {
  const file = await inspect(path);
  if (file) return file;
  throw new TypeError(`${path} is neither a video (mp4, mov, webm, mkv) nor a photo (jpeg, png, webp)`);
}

async function inspect(path: string): Promise<MediaFile | undefined> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(64), 0, 64, 0);
    const contentType = sniff(buffer.subarray(0, bytesRead));
    return contentType === undefined ? undefined : { path, contentType, size: (await file.stat()).size };
  } finally {
    await file.close();
  }
}

/** Returns the media type of a file that begins with these bytes. */
export function sniff(head: Buffer): string | undefined {
  const text = (from: number, to: number) => head.toString("latin1", from, to);
  if (text(4, 8) === "ftyp" && head.length >= 12) return text(8, 12) === "qt  " ? "video/quicktime" : "video/mp4";
  if (["moov", "mdat", "wide", "free", "skip"].includes(text(4, 8))) return "video/quicktime";
  if (text(0, 4) === "\x1a\x45\xdf\xa3") {
    if (head.includes("webm")) return "video/webm";
    return head.includes("matroska") ? "video/x-matroska" : undefined;
  }
  if (text(0, 3) === "\xff\xd8\xff") return "image/jpeg";
  if (text(0, 8) === "\x89PNG\r\n\x1a\n") return "image/png";
  if (text(0, 4) === "RIFF" && text(8, 12) === "WEBP") return "image/webp";
  return undefined;
}

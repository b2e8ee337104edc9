/** The client. */

import { type Api, body, createApi } from "./api.js";
import { Events } from "./events.js";
import { PAGE_SIZE, iterate } from "./pages.js";
import { type Fetch, type RetryOptions, RetryPolicy, retryingFetch } from "./retries.js";
import { Scans } from "./scans.js";
import { Spaces } from "./spaces.js";
import type { Me, SearchHit, Wallet } from "./types.js";
import { Uploader } from "./uploads.js";

const VERSION = "0.1.0";
/** The API of `scan up` on this machine. */
const LOCAL_URL = "http://127.0.0.1:8080/v1";

export interface ClientOptions {
  /** API key. Default: the environment variable `SCAN_API_KEY`. */
  apiKey?: string;
  /** URL of the API with its version. Default: `SCAN_API_URL`, else a service on this machine. */
  baseUrl?: string;
  retries?: RetryOptions;
  /** Maximum time of a request without an upload, in seconds. Default: 60. */
  timeout?: number;
  /** Replaces `fetch`, for proxies and tests. */
  fetch?: Fetch;
}

/** A client of Scan Service with one key. */
export class ScanClient {
  /** Operations on spaces: records, documents, questions, comparisons. */
  readonly spaces: Spaces;
  /** Operations on scans: create, upload, start, wait. */
  readonly scans: Scans;
  /** Events of the account. */
  readonly events: Events;
  /** The typed client of every operation of the contract, with the same retries and errors. */
  readonly api: Api;
  private readonly plainFetch: Fetch;

  constructor(options: ClientOptions = {}) {
    const key = options.apiKey ?? process.env["SCAN_API_KEY"];
    if (!key) throw new TypeError("pass apiKey, or set SCAN_API_KEY");
    const baseUrl = (options.baseUrl ?? process.env["SCAN_API_URL"] ?? LOCAL_URL).replace(/\/+$/, "");
    const policy = new RetryPolicy(options.retries);
    const headers = { authorization: `Bearer ${key}`, "user-agent": `scan-service-typescript/${VERSION}` };
    const send: Fetch = options.fetch ?? ((request) => fetch(request));
    const retrying = retryingFetch(send, policy, (options.timeout ?? 60) * 1000);
    this.plainFetch = retrying;
    this.api = createApi(baseUrl, headers, retrying);
    this.spaces = new Spaces(this.api);
    const uploader = new Uploader(baseUrl, headers, send, policy, (id) => this.scans.get(id));
    this.scans = new Scans(this.api, uploader);
    this.events = new Events(this.api, `${baseUrl}/events/stream`, headers, send, policy);
  }

  /** Iterates over the spaces that match a query, best first. */
  search(q: string, options: { space_type?: string; pageSize?: number } = {}): AsyncGenerator<SearchHit, void> {
    const { pageSize: limit = PAGE_SIZE, ...filter } = options;
    return iterate(async (cursor) => {
      const query = { q, ...filter, limit, ...(cursor && { cursor }) };
      return body(await this.api.GET("/search", { params: { query } }));
    });
  }

  /** Returns the owner of the key, and the key. */
  async me(): Promise<Me> {
    return body(await this.api.GET("/me"));
  }

  /** Returns the balance and the free scans. */
  async wallet(): Promise<Wallet> {
    return body(await this.api.GET("/wallet"));
  }

  /** Returns the bytes behind a signed `url`, for example of a frame. It is valid for an hour. */
  async download(url: string): Promise<Uint8Array> {
    return new Uint8Array(await (await this.plainFetch(new Request(url))).arrayBuffer());
  }
}

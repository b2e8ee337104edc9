/** The typed client of the contract, which `openapi-fetch` derives from the generated types. */

import createClient, { type Client } from "openapi-fetch";

import type { paths } from "./generated/schema.js";
import type { Fetch } from "./retries.js";

export type Api = Client<paths>;

export function createApi(baseUrl: string, headers: Record<string, string>, fetch: Fetch): Api {
  return createClient<paths>({ baseUrl, headers, fetch });
}

/** Returns the body of a successful response. `fetch` has thrown all errors. */
export function body<T>(result: { data?: T }): NonNullable<T> {
  if (result.data === undefined || result.data === null) throw new TypeError("the API returned no body");
  return result.data;
}

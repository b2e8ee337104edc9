/** Events: lists, and the live stream. */

import { type Api, body } from "./api.js";
import { PAGE_SIZE, iterate } from "./pages.js";
import { type Fetch, type RetryPolicy, connectionError, isConnectionError, pause } from "./retries.js";
import { errorOf } from "./errors.js";
import type { Event, EventType } from "./types.js";

export interface StreamOptions {
  /** Starts after the event with this id, instead of with new events. */
  after?: string;
  /** Ends the stream. */
  signal?: AbortSignal;
}

/** Operations on events. */
export class Events {
  constructor(
    private readonly api: Api,
    private readonly url: string,
    private readonly headers: Record<string, string>,
    private readonly send: Fetch,
    private readonly policy: RetryPolicy,
  ) {}

  /** Returns an event of the last 30 days. */
  async get(id: string): Promise<Event> {
    return body(await this.api.GET("/events/{id}", { params: { path: { id } } }));
  }

  /** Iterates over the events of the last 30 days, newest first. */
  list(filter: { type?: EventType; pageSize?: number } = {}): AsyncGenerator<Event, void> {
    const { pageSize: limit = PAGE_SIZE, ...type } = filter;
    return iterate(async (cursor) => {
      const query = { ...type, limit, ...(cursor && { cursor }) };
      return body(await this.api.GET("/events", { params: { query } }));
    });
  }

  /**
   * Yields events as they happen, without end. Reconnects after the last event when the service or
   * the network ends the stream.
   */
  async *stream({ after, signal }: StreamOptions = {}): AsyncGenerator<Event, void> {
    for (let failures = 0; ; ) {
      const headers = { ...this.headers, accept: "text/event-stream", ...(after && { "last-event-id": after }) };
      let wait: number | undefined = this.policy.firstWait;
      try {
        const response = await this.send(new Request(this.url, { headers, ...(signal && { signal }) }));
        if (!response.ok) throw await errorOf(response);
        for await (const data of messages(response)) {
          const event = JSON.parse(data) as Event;
          [after, failures] = [event.id, 0];
          yield event;
        }
      } catch (error) {
        if (!isConnectionError(error) || signal?.aborted) throw error;
        wait = this.policy.wait(failures);
        if (wait === undefined) throw connectionError("GET", this.url, error);
        failures += 1;
      }
      await pause(wait, signal);
    }
  }
}

/** Yields the data of each server-sent event. */
async function* messages(response: Response): AsyncGenerator<string, void> {
  if (!response.body) return;
  let rest = "";
  let data: string[] = [];
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
      else if (line === "" && data.length > 0) {
        yield data.join("\n");
        data = [];
      }
    }
  }
}

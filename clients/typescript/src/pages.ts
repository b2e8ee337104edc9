/** Lists as iterators over all pages. */

/** A page of a list. */
export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

/** Number of items requested at a time: the maximum. */
export const PAGE_SIZE = 100;

/** Yields the items of every page. Requests a page when the one before is used up. */
export async function* iterate<T>(fetchPage: (cursor?: string) => Promise<Page<T>>): AsyncGenerator<T, void> {
  let cursor: string | undefined;
  do {
    const page = await fetchPage(cursor);
    yield* page.data;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

import type { LogRecord } from "../../../shared/api/log-streams.ts";
import type { LogPage } from "./given-logs.ts";

type Read = (query: string) => Promise<{ body: LogPage }>;

/** All records that are asked for, page by page from the beginning. */
export async function allForward(read: Read, query: string): Promise<LogRecord[]> {
  const found: LogRecord[] = [];
  let cursor = "";
  for (;;) {
    const { items, next_cursor: next } = (await read(`${query}&cursor=${cursor}`)).body;
    found.push(...items);
    if (next === cursor || next === null) return found;
    cursor = next;
  }
}

/** All records that are asked for, page by page from the end, in the stream's order. */
export async function allBackward(read: Read, query: string): Promise<LogRecord[]> {
  let found: LogRecord[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page: LogPage = (await read(`${query}&direction=backward&cursor=${cursor}`)).body;
    found = [...page.items, ...found];
    cursor = page.previous_cursor;
  }
  return found;
}

import { createHash } from "node:crypto";
import { problem } from "../../../shared/problem.ts";
import type { PageKey, PageRequest } from "../../database/page-request.ts";
import type { AppContext } from "../app-types.ts";
import { pathOfIds } from "../gate/params-of.ts";
import { setHeader } from "./set-header.ts";

type Asked = { readonly cursor?: string | undefined; readonly limit: number };

/**
 * Reads the cursor of a list; 422 when it is none of ours or was given out for other filters. `filters` is
 * everything but cursor and limit that decides which rows are listed.
 */
export function readPage(asked: Asked, filters: Readonly<Record<string, unknown>>): PageRequest {
  const { cursor, limit } = asked;
  if (cursor === undefined || cursor === "") return { after: undefined, limit };
  const [sortKey, id, hash] = decode(cursor);
  if (hash !== filterHash(filters)) {
    throw refused(
      "cursor_mismatch",
      "This cursor was made with other filters. Start again without a cursor.",
    );
  }
  return { after: { sortKey, id }, limit };
}

/** Sends the Link to the page that comes after a row; its cursor. */
export function tellNext(
  c: AppContext,
  last: PageKey,
  filters: Readonly<Record<string, unknown>>,
): string {
  const cursor = cursorOf(last, filters);
  const next = new URL(c.req.url);
  next.searchParams.set("cursor", cursor);
  setHeader(c, "link", `<${pathOfIds(c)}${next.search}>; rel="next"`);
  return cursor;
}

/** The cursor of what comes after a row. */
export function cursorOf(
  { sortKey, id }: PageKey,
  filters: Readonly<Record<string, unknown>>,
): string {
  return encode([sortKey, id, filterHash(filters)]);
}

type CursorParts = readonly [sortKey: string, id: string, hash: string];

function encode(parts: CursorParts): string {
  return Buffer.from(JSON.stringify(parts)).toString("base64url");
}

function decode(cursor: string): CursorParts {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (isCursor(parts)) return parts;
  } catch {
    // Not ours; said below.
  }
  throw refused("invalid_cursor", "This cursor is invalid. Start again without a cursor.");
}

/** Postgres must be able to parse whatever passes here. */
function isCursor(parts: unknown): parts is CursorParts {
  if (!Array.isArray(parts) || parts.length !== 3) return false;
  const [sortKey, id, hash] = parts as unknown[];
  if (typeof sortKey !== "string" || typeof id !== "string" || typeof hash !== "string")
    return false;
  return isInstant(sortKey) && /^[\w-]{1,100}$/.test(id);
}

function isInstant(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?\+00$/.test(text)) return false;
  const at = new Date(`${text.slice(0, 10)}T${text.slice(11, 19)}Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text.slice(0, 10));
}

function filterHash(filters: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(given)).digest("base64url").slice(0, 12);
}

function refused(code: string, detail: string): Error {
  return problem.invalid([{ pointer: "?cursor", code, detail }]);
}

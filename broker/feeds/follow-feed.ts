import { problem } from "../../shared/problem.ts";
import { park } from "../clocks/park.ts";
import type { Db } from "../database/connect.ts";
import type { WithPermit } from "../limits/permits.ts";
import type { OrgId } from "../orgs/org-id.ts";
import {
  type FeedPosition,
  fromCursor,
  isAfter,
  oldestPosition,
  toCursor,
} from "./feed-position.ts";
import { type Feed, feedPageRows, type FeedRow } from "./feed.ts";
import { findPresentPosition, isReached } from "./present-position.ts";

/** How a request follows a feed. */
export type Following = {
  /** Absent: from now on; empty: from the oldest row that is kept. */
  readonly cursor: string | undefined;
  readonly waitMs: number;
  readonly limit: number;
  readonly signal: AbortSignal;
  /** Takes a permit for a read; none is held while it is parked. */
  readonly withPermit: WithPermit;
};
/** What a request got. */
export type Followed<Row> = { readonly rows: readonly Row[]; readonly nextCursor: string };

/** Whom a request follows, and which of the rows it wants. */
export type Followable<Row extends FeedRow, Item> = {
  readonly db: Db;
  readonly feed: Feed<Row, Item>;
  readonly isAsked: (row: Row) => boolean;
};

/** The most pages that one request reads for a filter that matches nothing. */
const mostPages = 10;

/** The org's rows after the cursor; waits while there are none. Empty when the time is up. */
export async function followFeed<Row extends FeedRow, Item>(
  followable: Followable<Row, Item>,
  org: OrgId,
  following: Following,
): Promise<Followed<Row>> {
  const { db, feed, isAsked } = followable;
  const { cursor, waitMs, limit, signal, withPermit } = following;
  const read = (from: FeedPosition): Promise<Read<Row>> =>
    withPermit(() => readKept(followable, org, { from, limit }));
  const start = await withPermit(() => startOf(db, cursor));
  let found = await read(start);
  if (found.rows.length > 0 || found.isMore) return answer(found);

  const heard: Row[] = [];
  let upto = start;
  const some = Promise.withResolvers<void>();
  const leave = await feed.subscribe(org, (news) => {
    upto = news.upto;
    // The shared reader may be behind this follower's start.
    const fresh = news.settled.filter((row) => isAfter(positionOf(row), start));
    heard.push(...fresh.filter(isAsked));
    if (heard.length > 0) some.resolve();
  });
  try {
    found = await read(found.upto); // what settled before we listened
    if (found.rows.length > 0 || found.isMore) return answer(found);
    await park({ waitMs, until: some.promise, signals: [signal, feed.draining] });
    return answer(cut(heard, { from: found.upto, upto, limit }));
  } finally {
    leave();
  }
}

type Read<Row> = {
  readonly rows: readonly Row[];
  readonly upto: FeedPosition;
  /** Reading stopped before the end. */
  readonly isMore: boolean;
};

function answer<Row>({ rows, upto }: Read<Row>): Followed<Row> {
  return { rows, nextCursor: toCursor(upto) };
}

async function startOf(db: Db, cursor: string | undefined): Promise<FeedPosition> {
  if (cursor === undefined) return findPresentPosition(db);
  if (cursor === "") return oldestPosition;
  const position = fromCursor(cursor);
  if (position !== undefined && (await isReached(db, position))) return position;
  const detail = "This cursor is invalid. Start with an empty cursor.";
  throw problem.invalid([{ pointer: "?cursor", code: "invalid_cursor", detail }]);
}

/** Reads settled rows until there are enough, or none are left. */
async function readKept<Row extends FeedRow, Item>(
  { db, feed, isAsked }: Followable<Row, Item>,
  org: OrgId,
  { from, limit }: { readonly from: FeedPosition; readonly limit: number },
): Promise<Read<Row>> {
  const found: Row[] = [];
  let upto = from;
  for (let page = 0; page < mostPages; page++) {
    const rows = await feed.source.list(db, org, upto, feedPageRows);
    const settled = rows.filter((row) => row.is_settled);
    for (const row of settled) {
      upto = positionOf(row);
      if (isAsked(row)) found.push(row);
      if (found.length === limit) return { rows: found, upto, isMore: true };
    }
    if (settled.length < feedPageRows) return { rows: found, upto, isMore: false };
  }
  return { rows: found, upto, isMore: true };
}

/** At most `limit` of the received rows; `upto` does not go beyond the last of them. */
function cut<Row extends FeedRow>(
  heard: readonly Row[],
  { from, upto, limit }: { from: FeedPosition; upto: FeedPosition; limit: number },
): Read<Row> {
  const rows = heard.slice(0, limit);
  const last = rows.at(-1);
  if (last !== undefined && heard.length > limit)
    return { rows, upto: positionOf(last), isMore: true };
  return { rows, upto: isAfter(upto, from) ? upto : from, isMore: false };
}

function positionOf({ tx, n }: FeedRow): FeedPosition {
  return { tx: BigInt(tx), n };
}

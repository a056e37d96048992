import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import { park } from "../clocks/park.ts";
import type { Db } from "../database/connect.ts";
import type { WithPermit } from "../limits/permits.ts";
import type { OrgId } from "../orgs/org-id.ts";
import {
  type EventPosition,
  fromCursor,
  isAfter,
  oldestPosition,
  toCursor,
} from "./event-position.ts";
import { findPresentPosition, isReached, type JobEventRow, listEvents } from "./event-queries.ts";

export type Following = {
  /** Absent: from now on; empty: from the oldest event that is kept. */
  readonly cursor: string | undefined;
  readonly waitMs: number;
  readonly limit: number;
  readonly runnerId: string | undefined;
  readonly ownerId: string | undefined;
  readonly signal: AbortSignal;
  /** Takes a permit for a read; none is held while it is parked. */
  readonly withPermit: WithPermit;
};
export type Followed = { readonly events: readonly JobEventRow[]; readonly nextCursor: string };

const pageRows = 1000;
/** The most pages that one request reads for a filter that matches nothing. */
const mostPages = 10;

/** The org's events after the cursor; waits while there are none. Empty when the time is up. */
export async function followJobs(
  { db, events }: Pick<Broker, "db" | "events">,
  org: OrgId,
  following: Following,
): Promise<Followed> {
  const read = (from: EventPosition): Promise<Read> =>
    following.withPermit(() => readKept({ db, org, following }, from));
  const start = await following.withPermit(() => startOf(db, following.cursor));
  let found = await read(start);
  if (found.events.length > 0 || found.isMore) return answer(found);

  const heard: JobEventRow[] = [];
  let upto = start;
  const some = Promise.withResolvers<void>();
  const leave = await events.subscribe(org, (news) => {
    upto = news.upto;
    // The shared reader may be behind this follower's start.
    const fresh = news.settled.filter((event) => isAfter(positionOf(event), start));
    heard.push(...fresh.filter((event) => isAsked(event, following)));
    if (heard.length > 0) some.resolve();
  });
  try {
    found = await read(found.upto); // what settled before we listened
    if (found.events.length > 0 || found.isMore) return answer(found);
    const signals = [following.signal, events.draining];
    await park({ waitMs: following.waitMs, until: some.promise, signals });
    return answer(cut(heard, { from: found.upto, upto, limit: following.limit }));
  } finally {
    leave();
  }
}

type Read = {
  readonly events: readonly JobEventRow[];
  readonly upto: EventPosition;
  /** Reading stopped before the end. */
  readonly isMore: boolean;
};

function answer({ events, upto }: Read): Followed {
  return { events, nextCursor: toCursor(upto) };
}

async function startOf(db: Db, cursor: string | undefined): Promise<EventPosition> {
  if (cursor === undefined) return findPresentPosition(db);
  if (cursor === "") return oldestPosition;
  const position = fromCursor(cursor);
  if (position !== undefined && (await isReached(db, position))) return position;
  const detail = "This cursor is invalid. Start with an empty cursor.";
  throw problem.invalid([{ pointer: "?cursor", code: "invalid_cursor", detail }]);
}

type Source = { readonly db: Db; readonly org: OrgId; readonly following: Following };

/** Reads settled events until there are enough, or none are left. */
async function readKept({ db, org, following }: Source, from: EventPosition): Promise<Read> {
  const events: JobEventRow[] = [];
  let upto = from;
  for (let page = 0; page < mostPages; page++) {
    const rows = await listEvents(db, org, upto, pageRows);
    const settled = rows.filter((row) => row.is_settled);
    for (const row of settled) {
      upto = positionOf(row);
      if (isAsked(row, following)) events.push(row);
      if (events.length === following.limit) return { events, upto, isMore: true };
    }
    if (settled.length < pageRows) return { events, upto, isMore: false };
  }
  return { events, upto, isMore: true };
}

/** At most `limit` of the received events; `upto` does not go beyond the last of them. */
function cut(
  heard: readonly JobEventRow[],
  { from, upto, limit }: { from: EventPosition; upto: EventPosition; limit: number },
): Read {
  const events = heard.slice(0, limit);
  const last = events.at(-1);
  if (last !== undefined && heard.length > limit)
    return { events, upto: positionOf(last), isMore: true };
  return { events, upto: isAfter(upto, from) ? upto : from, isMore: false };
}

function isAsked(event: JobEventRow, { runnerId, ownerId }: Following): boolean {
  if (runnerId !== undefined && event.runner_id !== runnerId) return false;
  return ownerId === undefined || event.owner_id === ownerId;
}

function positionOf({ tx, seq }: JobEventRow): EventPosition {
  return { tx: BigInt(tx), seq };
}

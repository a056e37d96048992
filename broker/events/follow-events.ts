import { problem } from "../../shared/problem.ts";
import { acceptsEvent, type Subscription } from "../../shared/webhooks/accepts-event.ts";
import type { Broker } from "../broker.ts";
import { park } from "../clocks/park.ts";
import {
  type EventPosition,
  fromCursor,
  oldestPosition,
  toCursor,
} from "../jobs/event-position.ts";
import { findPresentPosition, isReached } from "../jobs/event-queries.ts";
import type { WithPermit } from "../limits/permits.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { topics } from "../wake/wakes.ts";
import { type FeedEvent, listFeed } from "./event-queries.ts";
import { linksOf } from "./links-of.ts";
import { toEnvelope } from "./to-envelope.ts";

export type FollowingEvents = {
  /** Absent: from now on; empty: from the oldest event that is kept. */
  readonly cursor: string | undefined;
  readonly waitMs: number;
  readonly limit: number;
  readonly wanted: Subscription;
  readonly signal: AbortSignal;
  /** Takes a permit for a read; none is held while it is parked. */
  readonly withPermit: WithPermit;
};
type Parts = Pick<Broker, "config" | "db" | "events" | "wakes">;

const pageRows = 500;
/** The most pages that one request reads where hardly any event is wanted. */
const mostPages = 10;
/** What a transaction still hides is looked for again; and what no topic told. */
const [firstLookMs, longestLookMs] = [50, 2000];

/**
 * The org's events after the cursor, each as webhooks get it, in one order in which those of a workflow have theirs; waits while there are
 * none. Empty when the time is up.
 */
export async function followEvents(
  parts: Parts,
  org: OrgId,
  following: FollowingEvents,
): Promise<{ readonly items: string[]; readonly nextCursor: string }> {
  const { waitMs, signal, withPermit } = following;
  const endMs = performance.now() + waitMs;
  let upto = await withPermit(() => startOf(parts, following.cursor));
  for (let lookMs = firstLookMs; ; lookMs = Math.min(2 * lookMs, longestLookMs)) {
    const told = Promise.withResolvers<void>();
    const leave = parts.wakes.subscribe(topics.org(org), () => told.resolve());
    try {
      const read = await withPermit(() => readKept(parts, org, { from: upto, following }));
      upto = read.upto;
      const leftMs = endMs - performance.now();
      const isOver = leftMs <= 0 || signal.aborted || parts.events.draining.aborted;
      if (read.found.length > 0 || read.isMore || isOver)
        return { items: await toTexts(parts, read.found), nextCursor: toCursor(upto) };
      const signals = [signal, parts.events.draining];
      await park({ waitMs: Math.min(leftMs, lookMs), until: told.promise, signals });
    } finally {
      leave();
    }
  }
}

async function startOf({ db }: Parts, cursor: string | undefined): Promise<EventPosition> {
  if (cursor === undefined) return findPresentPosition(db);
  if (cursor === "") return oldestPosition;
  const position = fromCursor(cursor);
  if (position !== undefined && (await isReached(db, position))) return position;
  const detail = "This cursor is invalid. Start with an empty cursor.";
  throw problem.invalid([{ pointer: "?cursor", code: "invalid_cursor", detail }]);
}

type Kept = {
  readonly found: readonly FeedEvent[];
  readonly upto: EventPosition;
  /** Reading stopped before the end. */
  readonly isMore: boolean;
};

/** Reads what no running transaction can come before, until there is enough or nothing is left. */
async function readKept(
  { db }: Parts,
  org: OrgId,
  { from, following }: { readonly from: EventPosition; readonly following: FollowingEvents },
): Promise<Kept> {
  const found: FeedEvent[] = [];
  let upto = from;
  for (let page = 0; page < mostPages; page++) {
    const rows = await listFeed(db, org, { after: upto, limit: pageRows });
    const settled = rows.filter((row) => row.is_settled);
    for (const row of settled) {
      upto = { tx: BigInt(row.tx), seq: row.n };
      if (acceptsEvent(following.wanted, row)) found.push(row);
      if (found.length === following.limit) return { found, upto, isMore: true };
    }
    if (settled.length < pageRows) return { found, upto, isMore: false };
  }
  return { found, upto, isMore: true };
}

/** The bytes that webhooks got; made anew of an event that none wanted. */
function toTexts({ config }: Parts, found: readonly FeedEvent[]): Promise<string[]> {
  return Promise.all(
    found.map(async (event) => {
      if (event.body !== null) return event.body;
      const links = linksOf(config.publicUrl, event.data["links"]);
      return await toEnvelope({ ...event, data: { ...event.data, links } });
    }),
  );
}

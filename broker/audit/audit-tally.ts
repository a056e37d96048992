import { newId } from "../database/new-id.ts";
import type { AuditEnd, AuditEntry, AuditEvent } from "./audit-entry.ts";

type End = Pick<AuditEnd, "outcome" | "status" | "code">;

/** Requests that are alike, counted until they are written as one event. */
export type AuditTally = {
  readonly add: (entry: AuditEntry, end: End) => void;
  /** Counts a refusal that is not written by itself, with the other ones of its token. */
  readonly addRefused: (entry: AuditEntry) => void;
  /** What was counted since the last time; what is given back is counted on. */
  readonly take: () => {
    readonly taken: readonly Taken[];
    readonly giveBack: (unwritten: readonly Taken[]) => void;
  };
};

/** An event to write, and what it was counted under. */
export type Taken = { readonly event: AuditEvent; readonly key: string };

type Counted = { readonly event: AuditEvent; readonly firstAtMs: number; count: number };

/** The most kinds of one org until the next write; what comes past them is counted as one. */
const mostKinds = 200;
/** The most of all orgs. */
const mostEvents = 20_000;

/** Tallies in one broker's memory: a broker that is killed loses those of its last minute. */
export function makeAuditTally(): AuditTally {
  let counted = new Map<string, Counted>();
  let kindsOfOrg = new Map<string, number>();

  function count(key: string, { event, firstAtMs, count: by }: Counted): void {
    const known = counted.get(key);
    if (known !== undefined) {
      known.count += by;
      return;
    }
    const kinds = kindsOfOrg.get(event.org_id) ?? 0;
    const isRest = key.startsWith("rest ");
    if (kinds >= mostKinds && !isRest) {
      const rest = { ...withoutObject(event), actor_id: "", account_id: null, token_id: null };
      count(`rest ${event.org_id} ${event.outcome}`, { event: rest, firstAtMs, count: by });
      return;
    }
    if (counted.size >= mostEvents) return; // so many at once are no one org's: each has its own bound
    kindsOfOrg.set(event.org_id, kinds + 1);
    counted.set(key, { event, firstAtMs, count: by });
  }

  return {
    add(entry, end) {
      const { org_id, token_id, actor_id, action, target_id, ip } = entry;
      const key = [org_id, token_id ?? actor_id, action, target_id, ip, end.outcome].join(" ");
      const event = { ...entry, ...end, request_id: "", age_ms: 0, count: 1 };
      count(key, { event, firstAtMs: performance.now(), count: 1 });
    },
    addRefused(entry) {
      const { org_id, token_id, actor_id } = entry;
      const end = { outcome: "refused", status: null, code: "", age_ms: 0, count: 1 } as const;
      const event = withoutObject({ ...entry, ...end });
      const key = `refused ${org_id} ${token_id ?? actor_id}`;
      count(key, { event, firstAtMs: performance.now(), count: 1 });
    },
    take() {
      const former = counted;
      counted = new Map();
      kindsOfOrg = new Map();
      const nowMs = performance.now();
      const taken = [...former].map(([key, { event, firstAtMs, count: times }]) => {
        const age_ms = nowMs - firstAtMs;
        return { key, event: { ...event, id: newId("aud"), age_ms, count: times } };
      });
      const giveBack = (unwritten: readonly Taken[]): void => {
        for (const { key } of unwritten) {
          const one = former.get(key);
          if (one !== undefined) count(key, one);
        }
      };
      return { taken, giveBack };
    },
  };
}

/** An event that stands for requests to several objects. */
function withoutObject(event: AuditEvent): AuditEvent {
  const nowhere = { target_type: "", target_id: "", parent_id: "", ip: "", user_agent: "" };
  const silent = { request_id: "", reason: "", changes: null, permission: null, code: "" };
  return { ...event, ...nowhere, ...silent, action: "several" };
}

import type { AuditEnd, AuditEntry, AuditEvent } from "./audit-entry.ts";
import { makeAuditTally } from "./audit-tally.ts";
import { type AuditParts, makeAuditWriter } from "./audit-writer.ts";
import { actBounds, makeEventBudget, refusalBounds } from "./event-budget.ts";

/** The one place that writes the audit log: called by the gate for every request, and by the dashboard for sessions. */
export type Audit = {
  /** Writes that an act is asked for; rejects when that cannot be written: then it must not be done. */
  readonly begin: (entry: AuditEntry) => Promise<void>;
  /** Writes how it ended. Never rejects: what could not be written is told as `unknown` later. */
  readonly end: (event: AuditEvent) => Promise<void>;
  /** Writes an event, or counts it when there are very many of its token; rejects when it cannot be written. */
  readonly write: (event: AuditEvent) => Promise<void>;
  /** Writes a refusal soon, or counts it when there are many of its token. */
  readonly refuse: (event: AuditEvent) => void;
  /** Counts a request; what was counted is written every minute. */
  readonly tally: (entry: AuditEntry, end: Pick<AuditEnd, "outcome" | "status" | "code">) => void;
  /** Writes what was counted, and waits for what is being written. */
  readonly flush: () => Promise<void>;
};

const tallyEveryMs = 60_000;

/** The audit log as one broker writes it. */
export function makeAudit(parts: AuditParts): Audit {
  const writer = makeAuditWriter(parts);
  const admitsRefusal = makeEventBudget(refusalBounds);
  const admitsAct = makeEventBudget(actBounds);
  const tally = makeAuditTally();
  let timer: NodeJS.Timeout | undefined;

  function schedule(): void {
    timer ??= setTimeout(() => void flushTally(), tallyEveryMs).unref();
  }

  async function flushTally(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const { taken, giveBack } = tally.take();
    const ends = await Promise.allSettled(taken.map(({ event }) => writer.write(event)));
    const unwritten = taken.filter((_, at) => ends[at]?.status === "rejected");
    if (unwritten.length === 0) return;
    giveBack(unwritten); // the writer has logged why
    schedule();
  }

  /** Whether the event is written by itself; else it is counted. */
  function isTold(event: AuditEvent): boolean {
    const isRefused = event.outcome === "refused";
    const admits = isRefused ? admitsRefusal : admitsAct;
    if (admits(event.org_id, event.token_id ?? event.actor_id)) return true;
    if (isRefused) tally.addRefused(event);
    else tally.add(event, event);
    schedule();
    return false;
  }

  return {
    begin: writer.ask,
    end: (event) => writer.behind(isTold(event) ? writer.write(event) : writer.leaveOut(event)),
    async write(event) {
      if (isTold(event)) await writer.write(event);
    },
    refuse(event) {
      if (isTold(event)) void writer.behind(writer.write(event));
    },
    tally(entry, end) {
      tally.add(entry, end);
      schedule();
    },
    async flush() {
      await flushTally();
      await writer.settle();
    },
  };
}

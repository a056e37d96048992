import { makeBatcher } from "../database/batcher.ts";
import type { Db } from "../database/connect.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import type { AuditEntry, AuditEvent } from "./audit-entry.ts";
import { writeAudit } from "./queries.ts";

export type AuditParts = { readonly db: Db; readonly log: Log; readonly metrics: Metrics };

/** Writes records by group commit: what arrives together is one statement. Failures are counted and logged. */
export type AuditWriter = {
  readonly ask: (entry: AuditEntry) => Promise<void>;
  readonly write: (event: AuditEvent) => Promise<void>;
  /** Ends what was asked without an event. */
  readonly leaveOut: (event: AuditEvent) => Promise<void>;
  /** Lets nobody wait who need not; never rejects. */
  readonly behind: (written: Promise<void>) => Promise<void>;
  /** Waits for what is being written. */
  readonly settle: () => Promise<void>;
};

type Item =
  | { readonly asked: AuditEntry }
  | { readonly ended: AuditEvent & { readonly is_left_out: boolean } };

const bounds = { max: 200, maxBytes: 1024 * 1024, bytesOf: () => 4096 };

/** The writer of one broker. */
export function makeAuditWriter({ db, log, metrics }: AuditParts): AuditWriter {
  const failed = metrics.counter(
    "svc_audit_failures_total",
    "Audit records that were not written.",
  );
  const written = metrics.counter("svc_audit_events_total", "Audit events written.");
  const pending = new Set<Promise<void>>();
  const batch = makeBatcher<Item, void>(async (items) => {
    const asked = items.flatMap((one) => ("asked" in one ? [one.asked] : []));
    const ended = items.flatMap((one) => ("ended" in one ? [one.ended] : []));
    await writeAudit(db, { asked, ended });
    return items.map(() => undefined);
  }, bounds);

  async function put(item: Item): Promise<void> {
    try {
      await batch(item);
    } catch (error) {
      failed.add();
      log.error({ err: error }, "an audit record could not be written");
      throw error;
    }
  }

  return {
    ask: (entry) => put({ asked: entry }),
    async write(event) {
      await put({ ended: { ...event, is_left_out: false } });
      written.add({ outcome: event.outcome });
    },
    leaveOut: (event) => put({ ended: { ...event, is_left_out: true } }),
    behind(promise) {
      const settled = promise.catch(() => {}).finally(() => pending.delete(settled)); // it was logged
      pending.add(settled);
      return settled;
    },
    async settle() {
      await Promise.all(pending);
    },
  };
}

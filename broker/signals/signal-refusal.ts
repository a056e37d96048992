import { type Pointer, problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { fullQueue } from "./full-queue.ts";
import type { NewSignal } from "./new-signal.ts";
import { listMissingQueues } from "./queries.ts";
import { callbacksOf } from "./signal-callbacks.ts";

type RefusedSignals = {
  readonly orgId: OrgId;
  readonly signals: readonly (NewSignal & { readonly pointer?: Pointer })[];
};

/** The refusal of an enqueue by the database's word for it; what it does not say is looked up: which member is at fault. */
export async function signalRefusal(
  db: Db,
  asked: RefusedSignals,
  outcome: string,
): Promise<Error> {
  switch (outcome) {
    case "no-queue":
      return problem.notFound("queue");
    case "full":
      return await fullQueue(db, asked.orgId);
    case "key-reused":
      return invalid("header:Idempotency-Key", "idempotency_key_reused", keyReused);
    case "past":
      return invalid(past(asked), "expires_at_past", "This must be in the future.");
    case "own-queue":
      return invalid(
        awaited(asked),
        "waits_for_own_queue",
        "That signal, or one that waits for it, blocks this queue: this signal would never start. Use another queue.",
      );
    case "no-awaiter":
      return invalid(awaited(asked), "awaiter_not_live", "There is no live signal with this id.");
    case "long-wait":
      return invalid(
        awaited(asked),
        "too_many_waiters",
        "More than 100 signals would wait for each other in a chain. Enqueue it without awaited_by, or after some have ended.",
      );
    case "no-target":
      return await noTarget(db, asked);
    default:
      return new Error(`enqueue_signals answered ${outcome}`);
  }
}

const keyReused = "This idempotency key was already used for a different request. Use a new key.";

function invalid(pointer: Pointer, code: string, detail: string): Error {
  return problem.invalid([{ pointer, code, detail }]);
}

/** The earliest of several: it is past if one is. */
function past({ signals }: RefusedSignals): Pointer {
  const [first] = signals
    .filter(({ body }) => body.expires_at !== undefined)
    .toSorted((a, b) => Date.parse(a.body.expires_at ?? "") - Date.parse(b.body.expires_at ?? ""));
  return placeOf(first, "/expires_at");
}

function awaited({ signals }: RefusedSignals): Pointer {
  return placeOf(
    signals.find(({ body }) => body.awaited_by !== undefined),
    "/awaited_by",
  );
}

async function noTarget(db: Db, { orgId, signals }: RefusedSignals): Promise<Error> {
  const targets = signals.flatMap((signal) =>
    callbacksOf(signal.body).map(({ pointer, callback }) => ({
      id: callback.signal?.queue_id ?? "",
      pointer: placeOf(signal, `${pointer}/signal/queue_id`),
    })),
  );
  const ids = new Set(targets.map(({ id }) => id).filter((id) => id !== ""));
  const missing = await listMissingQueues(db, orgId, [...ids]);
  const found = targets.find(({ id }) => missing.includes(id));
  return invalid(found?.pointer ?? "#", "queue_not_found", "There is no queue with this id.");
}

function placeOf(signal: RefusedSignals["signals"][number] | undefined, member: string): Pointer {
  return `${signal?.pointer ?? "#"}${member}` as Pointer; // a member of the body, or of a signal in it
}

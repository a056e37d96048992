import type { PauseEnd } from "../../shared/api/pause.ts";
import { type Problem, problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import { requireFiler } from "../signals/require-targets.ts";
import type { Actor } from "../tokens/actor.ts";
import { emitDue } from "./emit-due.ts";
import { findEmitter, findNow, writeEmitterPause } from "./queries.ts";

type By = Pick<Actor, "bound" | "id" | "orgId" | "permissions">;

const longestMs = 366 * 86_400_000;

/**
 * Pauses an emitter, or changes its pause; 422 for an end that is past or more than 366 days away, 409 for one that is done, 403 where
 * it gives a pause an end for who may not do what its signals do.
 */
export async function pauseEmitter(
  parts: Pick<Broker, "db" | "seals">,
  actor: By,
  {
    id,
    note,
    until,
  }: { readonly id: string; readonly note: string; readonly until?: PauseEnd | undefined },
): Promise<void> {
  const { db } = parts;
  const { orgId, id: actorId } = actor;
  const end = until && endOf(until, await findNow(db));
  if (end !== undefined) {
    const present = await findEmitter(db, orgId, id);
    if (present?.status === "paused") await requireFiler(parts, actor, present);
  }
  const to = { id, event: "pause" as const, note, until: end ?? null, actorId };
  refuse(await writeEmitterPause(db, orgId, to));
}

/** Ends the pause of an emitter and computes its next tick; nothing when it is not paused. 403 for who may not do what its signals do. */
export async function resumeEmitter(
  broker: Pick<Broker, "db" | "seals" | "wakes" | "log">,
  actor: By,
  { id, note }: { readonly id: string; readonly note: string },
): Promise<void> {
  const { orgId, id: actorId } = actor;
  const present = await findEmitter(broker.db, orgId, id);
  if (present === undefined) throw problem.notFound("emitter");
  await requireFiler(broker, actor, present);
  const to = { id, event: "resume" as const, note, until: null, actorId };
  refuse(await writeEmitterPause(broker.db, orgId, to));
  await emitDue(broker, [id]);
}

function endOf(end: PauseEnd, now: Date): Date {
  const ms = "until" in end ? Date.parse(end.until) - now.getTime() : end.lasting_ms;
  if (ms > longestMs) {
    throw wrongEnd(
      "until_far",
      "A pause may last at most 366 days. Leave out `until` to pause without an end.",
    );
  }
  if (ms <= 0) throw wrongEnd("until_past", "This must be in the future.");
  return new Date(now.getTime() + ms);
}

function refuse(outcome: string | undefined): void {
  if (outcome === "not-found") throw problem.notFound("emitter");
  if (outcome === "past") throw wrongEnd("until_past", "This must be in the future.");
  if (outcome === "ended") {
    throw problem.conflict(
      "emitter_done",
      "This emitter is done: it has emitted its only signal. Give it a new time by PATCH, or fire it.",
    );
  }
}

function wrongEnd(code: string, detail: string): Problem {
  return problem.invalid([{ pointer: "#/until", code, detail }]);
}

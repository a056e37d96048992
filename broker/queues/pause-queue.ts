import type { PauseEnd } from "../../shared/api/pause.ts";
import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { Actor } from "../tokens/actor.ts";
import { topics } from "../wake/wakes.ts";
import { findPauseEnd, writeQueuePause } from "./queries.ts";
import { requireOwnQueue } from "./require-queue.ts";

type Parts = Pick<Broker, "db" | "wakes">;
type By = Pick<Actor, "id" | "orgId">;

/** Pauses a queue, or changes its pause; 422 for an end that is past or more than 366 days away. */
export async function pauseQueue(
  { db, wakes }: Parts,
  actor: By,
  {
    id,
    note,
    until,
  }: { readonly id: string; readonly note: string; readonly until?: PauseEnd | undefined },
): Promise<void> {
  requireOwnQueue(id);
  const end = until && (await findPauseEnd(db, until));
  if (end?.is_past === true) throw wrongEnd("until_past", "This must be in the future.");
  if (end?.is_far === true)
    throw wrongEnd(
      "until_far",
      "A pause may last at most 366 days. Leave out `until` to pause without an end.",
    );
  const to = { id, event: "pause" as const, note, until: end?.until ?? null, actorId: actor.id };
  const change = await writeQueuePause(db, actor.orgId, to);
  if (change.outcome === "not-found") throw problem.notFound("queue");
  wakes.notify([topics.signals(id)]); // parked claims end with 409
}

/** Ends the pause of a queue and begins what may begin; nothing when it is not paused. */
export async function resumeQueue(
  { db, wakes }: Parts,
  actor: By,
  { id, note }: { readonly id: string; readonly note: string },
): Promise<void> {
  requireOwnQueue(id);
  const to = { id, event: "resume" as const, note, until: null, actorId: actor.id };
  const change = await writeQueuePause(db, actor.orgId, to);
  if (change.outcome === "not-found") throw problem.notFound("queue");
  wakes.notify(change.wakes.map(topics.signals));
}

function wrongEnd(code: string, detail: string): Error {
  return problem.invalid([{ pointer: "#/until", code, detail }]);
}

import type { PauseEnd } from "../../shared/api/pause.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { Actor } from "../tokens/actor.ts";
import { type ChangeListeners, notifyChange } from "./notify-change.ts";
import { writePause } from "./queries.ts";

type By = Pick<Actor, "id" | "orgId">;

const farWords = "A pause may last at most 366 days. Leave out `until` to pause without an end.";

/** Pauses a runner or a group, from now until the end given; 422 when that is past. No target is no refusal. */
export async function pause(
  broker: ChangeListeners & { readonly db: Db },
  actor: By,
  {
    id,
    note,
    until,
  }: { readonly id: string; readonly note: string; readonly until?: PauseEnd | undefined },
): Promise<void> {
  const to = { id, pause: until ?? {}, note, actorId: actor.id };
  const change = await writePause(broker.db, actor.orgId, to);
  if (change?.outcome === "past" || change?.outcome === "far") {
    const code = change.outcome === "past" ? "until_past" : "until_far";
    const detail = change.outcome === "past" ? "This must be in the future." : farWords;
    throw problem.invalid([{ pointer: "#/until", code, detail }]);
  }
  if (change?.outcome === "done") notifyChange(broker, actor.orgId, change);
}

/** Ends the pause of a runner or a group and releases what now fits; nothing when it is not paused. */
export async function resume(
  broker: ChangeListeners & { readonly db: Db },
  actor: By,
  { id, note }: { readonly id: string; readonly note: string },
): Promise<void> {
  const to = { id, pause: null, note, actorId: actor.id };
  const change = await writePause(broker.db, actor.orgId, to);
  if (change?.outcome === "done") notifyChange(broker, actor.orgId, change);
}

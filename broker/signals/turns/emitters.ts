import { setEmitterPause } from "./queries.ts";
import type { RunTurn, Turn, TurnOutcome, TurnParts } from "./turn.ts";

type OfEmitter = { readonly emitter_id: string };

/** Resumes an emitter; one that is not paused stays as it is. */
export const runEmitterStart: RunTurn<OfEmitter> = async (parts, turn, { emitter_id: emitterId }) =>
  await set(parts, turn, { emitterId, event: "resume" });

/** Pauses an emitter until somebody resumes it. */
export const runEmitterStop: RunTurn<OfEmitter> = async (parts, turn, { emitter_id: emitterId }) =>
  await set(parts, turn, { emitterId, event: "pause" });

const refusals: Readonly<Record<string, string>> = {
  "not-found": "does not exist",
  ended: "is done: it has nothing to pause or resume",
};

async function set(
  { db }: Pick<TurnParts, "db">,
  { orgId, signalId, actorId }: Turn,
  { emitterId, event }: { readonly emitterId: string; readonly event: "pause" | "resume" },
): Promise<TurnOutcome> {
  const note = `by the signal ${signalId}`;
  const outcome = await setEmitterPause(db, orgId, { emitterId, event, note, actorId });
  const refusal = refusals[outcome];
  return refusal === undefined
    ? { event: "finish" }
    : { event: "give-up", description: `the emitter ${emitterId} ${refusal}` };
}

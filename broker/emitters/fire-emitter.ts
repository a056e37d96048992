import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import { keyedId } from "../database/keyed-id.ts";
import { fullQueue } from "../signals/full-queue.ts";
import { findSignal } from "../signals/queries.ts";
import { requireFiler } from "../signals/require-targets.ts";
import type { Actor } from "../tokens/actor.ts";
import { topics } from "../wake/wakes.ts";
import { findEmitter, writeFiring } from "./queries.ts";
import { openTemplate } from "./sealed-template.ts";

const maxTries = 10;

/**
 * Enqueues one signal of an emitter now; answers its id, or the live one's that has its dedupe key. 429 when the queue is full, 403 for
 * who may not do what its signals do to other queues and to runners.
 */
export async function fireEmitter(
  { db, seals, wakes }: Pick<Broker, "db" | "seals" | "wakes">,
  {
    orgId,
    id: actorId,
    requestSeed,
    ...filer
  }: Pick<Actor, "bound" | "id" | "orgId" | "permissions" | "requestSeed">,
  id: string,
): Promise<{ readonly signalId: string; readonly isKept: boolean }> {
  const signalId = keyedId("sig", requestSeed, id);
  const isMade = requestSeed !== undefined && (await findSignal(db, orgId, signalId)) !== undefined;
  if (isMade) return { signalId, isKept: false };
  for (let tries = 0; tries < maxTries; tries += 1) {
    const row = await findEmitter(db, orgId, id);
    if (row === undefined) throw problem.notFound("emitter");
    await requireFiler({ db, seals }, { ...filer, orgId }, row);
    const named = { orgId, id: signalId, part: "signal" };
    const { keyId, bytes } = seals.seal(named, openTemplate(seals, row));
    const signal = { id: signalId, key_id: keyId, contents: bytes.toString("base64") };
    const fired = await writeFiring(db, orgId, { id, version: row.version, signal, actorId });
    if (fired.outcome === "full") throw await fullQueue(db, orgId);
    if (fired.id === null) continue; // it was changed or deleted meanwhile
    wakes.notify(fired.wakes.map(topics.signals));
    return { signalId: fired.id, isKept: fired.outcome === "kept" };
  }
  throw problem.conflict(
    "emitter_busy",
    "The emitter is being changed by other requests. Try again.",
  );
}

import type { NewSignalBody } from "../../shared/api/new-signal.ts";
import { signalType } from "../../shared/signal-types.ts";
import { newId } from "../database/new-id.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";
import { callbacksOf, type CallbackDraft, draftCallback, type TextOf } from "./signal-callbacks.ts";

/** A signal to be filed: as the API takes one, whoever files it. */
export type NewSignal = {
  readonly body: NewSignalBody;
  /** The source text of its data and of its callbacks' data, by the pointer from the signal: `/signal`. */
  readonly textOf?: TextOf;
  readonly emitterId?: string;
  /** The tick of the emitter. */
  readonly scheduledFor?: string;
};

/** Where a signal goes, and in whose name. */
export type Filing = {
  readonly orgId: OrgId;
  readonly queueId: string;
  readonly actorId: string;
};

/** A signal as `new_signal` of the database takes it; without the number of its request. */
export type SignalDraft = ReturnType<typeof draftSignal>;

/** The row of a signal that was validated: sealed, with its callbacks. */
export function draftSignal(
  seals: Seals,
  { orgId, queueId, actorId }: Filing,
  { body, textOf = () => undefined, emitterId, scheduledFor }: NewSignal,
) {
  const id = newId("sig");
  const { runs, task = null } = rowOf(body.type);
  const text = textOf("/signal") ?? JSON.stringify(body.signal);
  const { keyId, bytes } = seals.seal({ orgId, id, part: "signal" }, Buffer.from(text));
  return {
    id,
    org_id: orgId as string,
    queue_id: queueId,
    type: body.type,
    runs,
    task,
    owner_id: body.owner_id ?? "",
    owner_type: body.owner_type ?? "",
    context: body.context ?? {},
    awaited_by: body.awaited_by ?? null,
    caused_by: null,
    emitter_id: emitterId ?? null,
    scheduled_for: scheduledFor ?? null,
    dedupe_key: body.dedupe_key ?? null,
    expires_at: body.expires_at ?? null,
    expires_in: body.expires_in ?? null,
    max_executions: body.max_executions,
    retry_delay: body.retry_delay,
    key_id: keyId,
    contents: bytes.toString("base64"),
    created_by_id: actorId,
    callbacks: callbacksOf(body).map(({ pointer, callback }, at): CallbackDraft =>
      draftCallback(
        seals,
        { orgId, n: at + 1, textOf: (inner) => textOf(pointer + inner) },
        callback,
      ),
    ),
  };
}

/** How a type is executed; of a type that was validated. */
function rowOf(type: string) {
  const row = signalType(type);
  if (row === undefined) throw new Error(`${type} is no type of signals`);
  return row;
}

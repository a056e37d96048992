import type { NewSignalBody } from "../../shared/api/new-signal.ts";
import { type Pointer, type ProblemError, problem } from "../../shared/problem.ts";
import type { RunnerJobType } from "../../shared/runner-job-types.ts";
import { signalType } from "../../shared/signal-types.ts";
import type { Broker } from "../broker.ts";
import type { Egress } from "../egress/egress.ts";
import { refuseSelfApproved } from "../jobs/refuse-self-approved.ts";
import { actsElsewhere, type Filer, requireTargets, requireTypes } from "./require-targets.ts";
import { callbacksOf, partsOf, type TextOf } from "./signal-callbacks.ts";
import { tooLarge } from "./signal-data.ts";

/** Something that acts, now or later: a signal, or what a callback makes. */
export type Deed = {
  readonly type: string;
  readonly value: Readonly<Record<string, unknown>>;
  /** Where it stands in the request. */
  readonly pointer: Pointer;
  readonly text: string;
  /** The queue that a callback files it in. */
  readonly into?: string | undefined;
};

type Parts = Pick<Broker, "db" | "seals"> & { readonly egress: Pick<Egress, "checkUrl"> };

/**
 * Refuses what the schema cannot know of a signal that is filed at `pointer`: 403 when the caller lacks the permission for what it
 * does, 422 for data that is too large and for a URL that may not be called. It goes for what its callbacks make, too.
 */
export async function requireFileable(
  parts: Parts,
  actor: Filer,
  {
    body,
    pointer,
    textOf = () => undefined,
  }: { readonly body: NewSignalBody; readonly pointer: Pointer; readonly textOf?: TextOf },
): Promise<void> {
  const at = (inner: string): Pointer => `#${pointer.slice(1)}${inner}` as Pointer; // both begin with a slash
  const text = (inner: string, value: unknown) => textOf(inner) ?? JSON.stringify(value);
  const own = { type: body.type, value: body.signal, pointer: at("/signal") };
  await requireDeeds(parts, actor, [
    { ...own, text: text("/signal", body.signal) },
    ...callbacksOf(body).map(({ pointer: place, callback }): Deed => {
      const { type, member, value } = partsOf(callback);
      const into = callback.signal?.queue_id;
      return { type, value, pointer: at(place + member), text: text(place + member, value), into };
    }),
  ]);
}

/** The same of deeds that stand somewhere else, as in an emitter. */
export async function requireDeeds(
  parts: Parts,
  actor: Filer,
  deeds: readonly Deed[],
): Promise<void> {
  const { db, egress } = parts;
  const errors: ProblemError[] = [];
  for (const { type, value, pointer, text } of deeds) {
    const row = signalType(type);
    requireTypes(actor, { type, value });
    const size = tooLarge(pointer, Buffer.byteLength(text));
    if (size !== undefined) errors.push(size);
    const url = row?.calls?.(value);
    const checked = url === undefined ? undefined : egress.checkUrl(url);
    if (checked?.isOk === false) {
      const { code, detail } = checked;
      errors.push({ pointer: `${pointer}/url` as Pointer, code, detail });
    }
  }
  if (errors.length > 0) throw problem.invalid(errors);
  for (const deed of deeds.filter(actsElsewhere)) await requireTargets(parts, actor, deed);
  for (const { type, value } of deeds) {
    if (type !== "runner-job") continue;
    const runnerId = String(value["runner_id"]);
    await refuseSelfApproved(db, actor.orgId, { runnerId, type: value["type"] as RunnerJobType }); // checked by its schema
  }
}

import type { NewSignalBody } from "../../shared/api/new-signal.ts";
import { type Pointer, type ProblemError, problem } from "../../shared/problem.ts";
import type { RunnerJobType } from "../../shared/runner-job-types.ts";
import { signalType } from "../../shared/signal-types.ts";
import type { Broker } from "../broker.ts";
import type { Egress } from "../egress/egress.ts";
import { refuseSelfApproved } from "../jobs/refuse-self-approved.ts";
import type { WithPermit } from "../limits/permits.ts";
import {
  type Acting,
  actsElsewhere,
  type Filer,
  requireTargets,
  requireTypes,
} from "./require-targets.ts";
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

/** A signal that is to be filed, and where it stands in the request. */
export type Fileable = {
  readonly body: NewSignalBody;
  readonly pointer: Pointer;
  readonly textOf?: TextOf;
};

/**
 * Refuses what the schema cannot know of signals that are filed: 403 when the caller lacks the permission for what one
 * does, 422 for data that is too large and for a URL that may not be called. It goes for what their callbacks make, too.
 * What only the database knows is asked with one permit, and without any where nothing is to be asked.
 */
export async function requireFileable(
  parts: Parts & { readonly withPermit: WithPermit },
  actor: Filer,
  signals: readonly Fileable[],
): Promise<void> {
  const reaching = signals.flatMap((signal) => {
    const deeds = deedsOf(signal);
    requireSound(parts, actor, deeds);
    return deeds.filter(reachesOut).map(({ type, value, into }) => ({ type, value, into })); // their texts may be long
  });
  if (reaching.length > 0) await parts.withPermit(() => requireReach(parts, actor, reaching));
}

function deedsOf({ body, pointer, textOf = () => undefined }: Fileable): Deed[] {
  const at = (inner: string): Pointer => `#${pointer.slice(1)}${inner}` as Pointer; // both begin with a slash
  const text = (inner: string, value: unknown) => textOf(inner) ?? JSON.stringify(value);
  const own = { type: body.type, value: body.signal, pointer: at("/signal") };
  return [
    { ...own, text: text("/signal", body.signal) },
    ...callbacksOf(body).map(({ pointer: place, callback }): Deed => {
      const { type, member, value } = partsOf(callback);
      const into = callback.signal?.queue_id;
      return { type, value, pointer: at(place + member), text: text(place + member, value), into };
    }),
  ];
}

/** The same of deeds that stand somewhere else, as in an emitter; for a caller with a permit. */
export async function requireDeeds(
  parts: Parts,
  actor: Filer,
  deeds: readonly Deed[],
): Promise<void> {
  requireSound(parts, actor, deeds);
  await requireReach(parts, actor, deeds.filter(reachesOut));
}

function requireSound(
  { egress }: Pick<Parts, "egress">,
  actor: Filer,
  deeds: readonly Deed[],
): void {
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
}

/** Whether only the database knows if it may be done. */
const reachesOut = (deed: Acting): boolean => isJob(deed) || actsElsewhere(deed);
const isJob = ({ type }: Acting): boolean => type === "runner-job";

async function requireReach(parts: Parts, actor: Filer, deeds: readonly Acting[]): Promise<void> {
  for (const deed of deeds.filter(actsElsewhere)) await requireTargets(parts, actor, deed);
  for (const { value } of deeds.filter(isJob)) {
    const runnerId = String(value["runner_id"]);
    const type = value["type"] as RunnerJobType; // checked by its schema
    await refuseSelfApproved(parts.db, actor.orgId, { runnerId, type });
  }
}

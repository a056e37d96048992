import { isDeepStrictEqual } from "node:util";
import type { EmitterChanges } from "../../shared/api/emitter.ts";
import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { Sealed } from "../seals/seals.ts";
import { requireFiler } from "../signals/require-targets.ts";
import type { Actor } from "../tokens/actor.ts";
import { nameTaken } from "./create-emitter.ts";
import { requireOwn } from "./delete-emitter.ts";
import { type EmitterSettings, findEmitter, findNow, writeEmitter } from "./queries.ts";
import { readSchedule, requireMembersOf } from "./read-schedule.ts";
import type { EmitterWithTemplate } from "./row.ts";
import { openTemplate, readTemplate, sealTemplate } from "./sealed-template.ts";
import { requireTemplate } from "./template.ts";

type Parts = Pick<Broker, "db" | "seals" | "egress">;
type By = Pick<Actor, "bound" | "id" | "orgId" | "permissions">;
type Update = {
  readonly id: string;
  readonly changes: EmitterChanges;
  /** The template as it was sent. */
  readonly templateText?: string | undefined;
  /** Only while it has this version. */
  readonly version: number | undefined;
};

const maxTries = 10;
const ofSchedule = [
  "cron_schedule",
  "time_zone",
  "jitter_window",
  "scheduled_at",
  "delay",
] as const;
/** What else says when, how often and for how long its signals act. */
const ofFiling = [
  "missed_policy",
  "missed_limit",
  "overlap_policy",
  "dedupe_key",
  "max_executions",
  "retry_delay",
  "signal_expires_in",
] as const;

/** Changes an emitter, which keeps its version where all stays the same; 412 when it has another version than asked for, 409 for one that belongs to an install. With a new schedule its next tick is another. */
export async function updateEmitter(parts: Parts, actor: By, update: Update): Promise<void> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const present = await findEmitter(parts.db, actor.orgId, update.id);
    if (present === undefined) throw problem.notFound("emitter");
    requireOwn(present);
    if (update.version !== undefined && update.version !== present.version) {
      throw problem.preconditionFailed(
        `The emitter was changed: the current version is ${present.version}.`,
      );
    }
    const { version } = present;
    const { settings, isRescheduled } = await changedSettings(parts, present, update.changes);
    if (isRescheduled || ofFiling.some((name) => settings[name] !== present[name])) {
      await requireFiler(parts, actor, present);
    }
    const changed = await changedTemplate(parts, actor, { present, ...update });
    const { template, executed } = changed;
    const whole = { ...settings, ...executed };
    if (!changed.isOther && !isRescheduled && isDeepStrictEqual(whole, present)) return;
    const outcome = await writeEmitter(parts.db, whole, { version, template, isRescheduled });
    if (outcome === "taken") throw nameTaken();
    if (outcome === "changed") return; // else it moved or was deleted meanwhile
  }
  throw problem.conflict(
    "emitter_busy",
    "The emitter is being changed by other requests. Try again.",
  );
}

async function changedSettings(
  { db }: Parts,
  present: EmitterWithTemplate,
  changes: EmitterChanges,
): Promise<{ readonly settings: EmitterSettings; readonly isRescheduled: boolean }> {
  requireMembersOf(present.mode, changes, { isNew: false });
  const { signal_template: _, ...members } = changes;
  const given = Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as Partial<EmitterSettings>; // names of columns, and what the schema let pass
  const merged = { ...present, ...given };
  const isRescheduled = ofSchedule.some((name) => isOther(present[name], changes[name]));
  const same = Object.fromEntries(ofSchedule.map((name) => [name, present[name]]));
  if (!isRescheduled) return { settings: { ...merged, ...same }, isRescheduled };
  const schedule = readSchedule(
    present,
    { ...present, ...changes, scheduled_at: changes.scheduled_at },
    await findNow(db),
  );
  return { settings: { ...merged, ...schedule }, isRescheduled };
}

/** Whether a member is changed by what was given: the same again changes nothing, so that no tick is lost by it. */
function isOther(
  present: string | number | Date | null,
  given: string | number | undefined,
): boolean {
  if (given === undefined) return false;
  return present instanceof Date
    ? present.getTime() !== Date.parse(String(given))
    : present !== given;
}

/** Who changes what signals do, or when, must be allowed to file such signals; who changes anything else need not. */
async function changedTemplate(
  parts: Parts,
  actor: By,
  { present, changes, templateText }: Omit<Update, "version"> & { present: EmitterWithTemplate },
): Promise<{
  readonly template: Sealed;
  readonly executed: Pick<EmitterSettings, "runs" | "task">;
  readonly isOther: boolean;
}> {
  const { signal_template: given, signal_type: type = present.signal_type } = changes;
  if (given === undefined && type === present.signal_type) {
    const { runs, task } = present;
    const template = { keyId: present.key_id, bytes: present.contents };
    return { template, executed: { runs, task }, isOther: false };
  }
  const value = given ?? readTemplate(parts.seals, present);
  const text = (given && templateText) ?? JSON.stringify(value);
  const executed = await requireTemplate(parts, actor, { type, value, text });
  const isOther = text !== openTemplate(parts.seals, present).toString();
  const named = { orgId: actor.orgId, id: present.id };
  return { template: sealTemplate(parts.seals, named, text), executed, isOther };
}

import type { NewEmitter } from "../../shared/api/emitter.ts";
import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import { keyedId } from "../database/keyed-id.ts";
import { requireOwnQueue } from "../queues/require-queue.ts";
import type { Actor } from "../tokens/actor.ts";
import { findEmitter, findNow, insertEmitter } from "./queries.ts";
import { readSchedule, requireMembersOf } from "./read-schedule.ts";
import { sealTemplate } from "./sealed-template.ts";
import { requireTemplate } from "./template.ts";

type Parts = Pick<Broker, "db" | "seals" | "egress" | "limits" | "config">;

const noLimit = 2_147_483_647;

type Creation = {
  readonly queueId: string;
  readonly body: NewEmitter;
  /** The template as it was sent. */
  readonly templateText?: string | undefined;
};

/** Creates an emitter; answers its id. 404 without its queue, 409 for a taken name, 422 for a schedule or a template that is wrong. */
export async function createEmitter(
  parts: Parts,
  actor: Pick<Actor, "bound" | "id" | "orgId" | "permissions" | "requestSeed">,
  { queueId, body, templateText }: Creation,
): Promise<string> {
  requireOwnQueue(queueId);
  const { signal_template: value, signal_type: type, mode, ...members } = body;
  requireMembersOf(mode, body, { isNew: true });
  const id = keyedId("emt", actor.requestSeed, queueId);
  if (actor.requestSeed !== undefined && (await findEmitter(parts.db, actor.orgId, id))) return id;
  const schedule = readSchedule({ id, mode }, body, await findNow(parts.db));
  const text = templateText ?? JSON.stringify(value);
  const executed = await requireTemplate(parts, actor, { type, value, text });
  const template = sealTemplate(parts.seals, { orgId: actor.orgId, id }, text);
  const outcome = await insertEmitter(
    parts.db,
    {
      ...members,
      ...schedule,
      ...executed,
      id,
      org_id: actor.orgId,
      queue_id: queueId,
      mode,
      missed_policy: members.missed_policy ?? "once",
      missed_limit: members.missed_limit ?? 10,
      overlap_policy: members.overlap_policy ?? "skip",
      signal_type: type,
      signal_expires_in: members.signal_expires_in ?? null,
      dedupe_key: members.dedupe_key ?? null,
      created_by_id: actor.id,
    },
    { template, most: parts.config.limits.emitters_of_org || noLimit },
  );
  if (outcome === "full") throw parts.limits.refusal("emitters_of_org");
  if (outcome === "no-queue") throw problem.notFound("queue");
  if (outcome === "taken") throw nameTaken();
  return id;
}

/** The refusal of a name that another emitter of the queue has. */
export const nameTaken = (): Error =>
  problem.conflict("name_taken", "This queue already has an emitter of this name.");

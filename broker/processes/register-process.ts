import { hash, randomBytes } from "node:crypto";
import type postgres from "postgres";
import type { ProcessOrder } from "../../shared/api/process-order.ts";
import type { NewProcess, RegisteredProcess } from "../../shared/api/runner-process.ts";
import { problem } from "../../shared/problem.ts";
import { defaultServes } from "../../shared/process-groups.ts";
import type { Db } from "../database/connect.ts";
import { newRandomId } from "../database/new-id.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { notifyQueues } from "../queues/queue-keys.ts";
import type { StatusHistoryRow } from "../status/row.ts";
import { findProcess } from "./queries.ts";
import type { RegisteringParts } from "./register-by-beat.ts";
import type { ProcessRow } from "./row.ts";
import { toProcess } from "./to-process.ts";

type Runner = { readonly orgId: OrgId; readonly runnerId: string };
type RegisteredRow = {
  is_allowed: boolean;
  woken: string[] | null;
  orders: ProcessOrder[] | null;
  max_uptime_s: number;
};

/** A process without heartbeats does not count after a minute, so there may soon be room. */
const againAfterS = 10;

/**
 * Registers a process of a runner. One that sends its groups or the process that it takes over is our agent and
 * gets a secret, which is shown once; 409 when it may not take over that process, 429 when the runner has as
 * many live processes as it may. One that sends the executions of its host is told which of them have ended.
 */
export async function registerProcess(
  broker: RegisteringParts,
  { orgId, runnerId }: Runner,
  asked: NewProcess,
): Promise<RegisteredProcess> {
  const isOurs = asked.groups !== undefined || asked.takes_over !== undefined;
  const secret = isOurs ? randomBytes(32).toString("base64url") : undefined;
  const processId = newRandomId("prc");
  const { db, limits, config } = broker;
  const { processes_of_runner: most } = config.limits;
  const takesOver = asked.takes_over ?? null;
  const [row] = await db<RegisteredRow[]>`
    select m.is_allowed, r.woken, r.orders, coalesce((g.document ->> 'container_max_uptime')::float8, 0) as max_uptime_s
      from runners u join runner_group_settings g on g.runner_group_id = u.runner_group_id
     cross join lateral may_register(u.id, ${takesOver}, ${most}) m (is_allowed)
      left join lateral ${registering(db, { processId, isOurs, secret, asked })} r on true
     where u.org_id = ${orgId} and u.id = ${runnerId} and u.lifecycle <> 'deleted'`;
  if (row === undefined) throw problem.notFound("runner");
  if (!row.is_allowed) throw limits.refusal("processes_of_runner", againAfterS);
  if (row.woken === null) throw takeoverRefused();
  notifyQueues(broker.wakes, orgId, row.woken);
  const registered = await findProcess(broker.db, { orgId, runnerId, processId });
  if (registered === undefined) throw problem.notFound("process");
  const process = toProcess(registered, { history: [beginningOf(registered)], shutdowns: [] });
  return {
    ...process,
    next_scheduled_restart_at: restartAt(process.started_at, row.max_uptime_s),
    ...(secret !== undefined && { secret }),
    ...(asked.executions !== undefined && { orders: row.orders ?? [] }),
  };
}

/** The history of a new process. */
function beginningOf({ id, org_id, status, status_at: at }: ProcessRow): StatusHistoryRow {
  return { seq: 0, owner_id: id, org_id, status, description: "registered", metadata: {}, at };
}

type Registering = {
  readonly processId: string;
  readonly isOurs: boolean;
  readonly secret: string | undefined;
  readonly asked: NewProcess;
};

/** What an agent says of its plans is registered in the same statement: they are bound from the start. */
function registering(db: Db, { processId, isOurs, secret, asked }: Registering): postgres.Fragment {
  const serves = asked.groups ?? defaultServes(asked.type, isOurs);
  const said = db`, ${asked.binds_plans === true}, ${asked.reads_plans ?? null}::int`;
  return db`
    ${isOurs ? db`register_agent` : db`register_holder`}(
      m.is_allowed, u.org_id, u.id, ${processId}, ${asked.type}, ${asked.version}, ${isOurs ? db`` : db`false,`}
      ${serves === null ? null : JSON.stringify(serves)}::text::jsonb, ${digestOf(secret)},
      ${asked.takes_over ?? null}, ${digestOf(asked.secret)}, ${asked.executions ?? null}::text[]${isOurs ? said : db``})`;
}

function digestOf(secret: string | undefined): Buffer | null {
  return secret === undefined ? null : hash("sha256", secret, "buffer");
}

/** The longest life of a container; 0 means no limit. */
function restartAt(startedAt: string, maxUptimeS: number): string | null {
  if (maxUptimeS === 0) return null;
  return new Date(Date.parse(startedAt) + maxUptimeS * 1000).toISOString();
}

const takeoverRefused = (): Error =>
  problem.conflict(
    "takeover_refused",
    "takes_over must name a process of this runner with this secret that has not shut down.",
  );

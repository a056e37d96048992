import type { Db } from "../../../broker/database/connect.ts";
import { newId, newRandomId } from "../../../broker/database/new-id.ts";
import { jobKind, jobTimeouts, type NewJob } from "../../../broker/jobs/new-job.ts";
import type { OrgId } from "../../../broker/orgs/org-id.ts";
import type { RunnerJobGroup } from "../../../shared/runner-job-types.ts";

/** A runner with what it belongs to. */
export type GivenRunner = {
  readonly orgId: OrgId;
  readonly groupId: string;
  readonly runnerId: string;
};

export type GivenExecution = { readonly jobId: string; readonly executionId: string };

/** An org of its own. */
export async function givenOrg(db: Db): Promise<OrgId> {
  const id = newId("org");
  await db`insert into orgs (id, name) values (${id}, 'Acme')`;
  return id as OrgId;
}

/** An enabled runner of an install group, without any process. */
export async function givenRunner(
  db: Db,
  given: {
    readonly orgId?: OrgId;
    readonly parallelism?: Partial<Record<RunnerJobGroup, number>>;
    readonly groups?: readonly string[];
    readonly maxDepth?: number;
  } = {},
): Promise<GivenRunner> {
  const orgId = given.orgId ?? (await givenOrg(db));
  const [groupId, runnerId] = [newId("rgr"), newId("run")];
  const parallelism = Object.fromEntries(
    Object.entries(given.parallelism ?? {}).map(([group, slots]) => [group, String(slots)]),
  );
  await db`
    with g as (
      insert into runner_groups (id, org_id, owner_id, owner_type, type, platform)
      values (${groupId}, ${orgId}, 'ins_1', 'installs', 'install', 'aws')
    ), s as (
      insert into runner_group_settings (id, org_id, runner_group_id, groups, job_group_parallelism,
                                         job_group_max_depth)
      values (${newId("rgs")}, ${orgId}, ${groupId}, ${[...(given.groups ?? [])]}::text[],
              ${db.json(parallelism)}, ${given.maxDepth ?? 10_000})
    )
    insert into runners (id, org_id, runner_group_id, name)
    values (${runnerId}, ${orgId}, ${groupId}, ${runnerId})`;
  return { orgId, groupId, runnerId };
}

/** A live process that has beaten once; ours unless told, offering these slots. */
export async function givenProcess(
  db: Db,
  { orgId, runnerId }: GivenRunner,
  given: {
    readonly serves?: Partial<Record<RunnerJobGroup, number>> | null;
    readonly isOurs?: boolean;
    readonly type?: string;
  } = {},
): Promise<string> {
  const id = newRandomId("prc");
  const serves = given.serves === undefined ? { deploy: 1 } : given.serves;
  await db`
    select register_process(${orgId}, ${runnerId}, ${id}, ${given.type ?? "install"}, '1.0.0',
                            ${given.isOurs ?? true}, ${serves === null ? null : db.json(serves)}::jsonb,
                            null, null, null)`;
  await beat(db, [id]);
  return id;
}

/** A beat of each process, naming what it holds where that is given. */
export async function beat(db: Db, processIds: string[], held?: GivenExecution[]): Promise<void> {
  const tells = held !== undefined;
  const heldBy = (held ?? []).map(() => processIds[0] ?? "");
  const executionIds = (held ?? []).map(({ executionId }) => executionId);
  await db`
    select b.*
      from (select array_agg(p.id::text) as ids, array_agg(p.org_id::text) as orgs,
                   array_agg(p.runner_id::text) as runners, count(*)::int as n
              from runner_processes p where p.id = any(${processIds})) p
     cross join lateral beat_processes(p.ids, p.orgs, p.runners, array_fill(true, array[p.n]),
       array_fill(0::bigint, array[p.n]), array_fill(''::text, array[p.n]), array_fill(${tells}, array[p.n]),
       ${heldBy}::text[], ${executionIds}::text[]) b`;
}

/** Jobs enqueued in one batch, in this order; noop-deploy unless told. Throws when they are refused. */
export async function givenJobs(
  db: Db,
  { orgId, runnerId }: GivenRunner,
  jobs: readonly Partial<NewJob>[],
): Promise<string[]> {
  const drafts = jobs.map((job) => draft({ orgId, runnerId }, job));
  const rows = await db<{ outcome: string }[]>`
    select outcome from enqueue_jobs(${JSON.stringify(drafts)}::text::json)`;
  const refused = rows.find(({ outcome }) => outcome !== "enqueued");
  if (refused !== undefined) throw new Error(`enqueue_jobs answered ${refused.outcome}`);
  return drafts.map(({ id }) => id);
}

/** One job. */
export async function givenJob(
  db: Db,
  runner: GivenRunner,
  job: Partial<NewJob> = {},
): Promise<string> {
  const [id] = await givenJobs(db, runner, [job]);
  if (id === undefined) throw new Error("no job was made");
  return id;
}

function draft(
  { orgId, runnerId }: Pick<GivenRunner, "orgId" | "runnerId">,
  given: Partial<NewJob>,
) {
  const job: NewJob = { type: "noop-deploy", operation: "exec", ...given };
  const kind = jobKind(job);
  const timeouts = jobTimeouts(job);
  return {
    request: 1,
    id: newId("job"),
    org_id: orgId,
    runner_id: runnerId,
    job_group: kind.group,
    type: job.type,
    operation: job.operation,
    owner_id: job.ownerId ?? "",
    owner_type: job.ownerType ?? "",
    metadata: job.metadata ?? {},
    queue_timeout: timeouts.queueTimeout,
    available_timeout: timeouts.availableTimeout,
    execution_timeout: timeouts.executionTimeout,
    overall_timeout: timeouts.overallTimeout,
    max_executions: timeouts.maxExecutions,
    stop_grace: kind.stopGrace,
    changes_things: kind.changes,
    rerun_of: job.rerunOf ?? null,
    created_by_id: "",
    plan: job.plan,
  };
}

/** What a process of ours gets when it asks for up to `want` jobs of a group. */
export async function claim(
  db: Db,
  { runnerId }: GivenRunner,
  asked: {
    readonly processId: string;
    readonly group?: RunnerJobGroup;
    readonly want?: number;
    readonly pollId?: string;
  },
): Promise<GivenExecution[]> {
  const { processId, group = "deploy", want = 1, pollId = null } = asked;
  const executionIds = Array.from({ length: want }, () => newId("exe"));
  const digests = executionIds.map(() => Buffer.alloc(32, 1));
  const rows = await db<{ job_id: string; execution_id: string }[]>`
    select job_id, execution_id
      from claim_jobs(array[1], ${[runnerId]}, ${[processId]}, ${[group]}, array[${want}::int],
                      array[${pollId}::text], ${executionIds}, ${db.array(digests, 1001)})
     where job_id is not null`;
  return rows.map((row) => ({ jobId: row.job_id, executionId: row.execution_id }));
}

/** A job of a process of ours in one call: enqueued and claimed. */
export async function givenExecution(
  db: Db,
  runner: GivenRunner,
  given: { readonly processId: string; readonly job?: Partial<NewJob> },
): Promise<GivenExecution> {
  await givenJob(db, runner, given.job);
  const group = given.job === undefined ? "deploy" : draft(runner, given.job).job_group;
  const [claimed] = await claim(db, runner, { processId: given.processId, group });
  if (claimed === undefined) throw new Error("the job was not claimed");
  return claimed;
}

/** A process's report; answers the outcome: ok, unchanged, backwards, ended, … */
export async function report(
  db: Db,
  { orgId, runnerId }: GivenRunner,
  reported: {
    readonly executionId: string;
    readonly status?: string;
    readonly description?: string;
    readonly giveBack?: boolean;
    readonly result?: object;
    readonly outputs?: object;
    readonly lastRecord?: number;
  },
): Promise<string> {
  const one = {
    n: 1,
    org_id: orgId,
    runner_id: runnerId,
    execution_id: reported.executionId,
    status: reported.status,
    description: reported.description,
    give_back: reported.giveBack ?? false,
    needs_result: false,
    result: reported.result,
    outputs: reported.outputs,
    last_record: reported.lastRecord,
    result_id: reported.executionId.replace("exe", "res"),
    outputs_id: reported.executionId.replace("exe", "out"),
  };
  const rows = await db<{ n: number; outcome: string }[]>`
    select n, outcome from take_reports(${JSON.stringify([one])}::text::json)`;
  return rows.find(({ n }) => n === 1)?.outcome ?? "no answer";
}

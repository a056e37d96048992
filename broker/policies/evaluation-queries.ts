import { reportOwners } from "../../shared/policies/report-owners.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { DeployRow } from "../workflows/machine/deploy-rows.ts";
import type { EvaluationDraft } from "../workflows/machine/policy-check.ts";
import type { BuildRow } from "../workflows/machine/workflow-rows.ts";
import type { ReportDraft } from "./report-draft.ts";

/** An evaluation that this broker has taken. */
export type Evaluation = EvaluationDraft & {
  readonly org_id: OrgId;
  readonly tries: number;
  /** As the database writes it: by this it is still ours. */
  readonly until: string;
};

/** Takes one for so long, if there is one. */
export async function takeEvaluation(db: Db, seconds: number): Promise<Evaluation | undefined> {
  const [row] = await db<Evaluation[]>`
    select e.org_id, e.owner_type, e.owner_id, e.runner_job_id, e.tries, e.taken_until::text as until
      from take_evaluation_of(${[...reportOwners]}, make_interval(secs => ${seconds})) e`;
  return row;
}

/** Gives one back, so that another broker takes it at once. */
export async function leaveEvaluation(db: Db, one: Evaluation): Promise<void> {
  const { org_id, owner_id, runner_job_id, until } = one;
  await db`select leave_policy_evaluation(${org_id}, ${owner_id}, ${runner_job_id}, ${until}::text::timestamptz)`;
}

/** Gives one back by which this broker failed; it counts as a try, and the next one waits. */
export async function returnEvaluation(db: Db, one: Evaluation): Promise<void> {
  const { org_id, owner_id, runner_job_id, until } = one;
  await db`select return_policy_evaluation(${org_id}, ${owner_id}, ${runner_job_id}, ${until}::text::timestamptz)`;
}

/** Says that this broker has what evaluates policies. */
export async function tellEngine(db: Db): Promise<void> {
  await db`select tell_policy_engine()`;
}

/** Whether a broker said so within a minute. */
export async function isEngineThere(db: Db): Promise<boolean> {
  const rows = await db`
    select from policy_engines e where e.seen_at > svc_now() - interval '1 minute'`;
  return rows.length > 0;
}

/** Ends one by its report; nothing happens where another broker has ended it. */
export async function endEvaluation(
  db: Db,
  { org_id, owner_id, runner_job_id }: Evaluation,
  report: ReportDraft,
): Promise<void> {
  const text = JSON.stringify(report);
  await db`select end_policy_evaluation(${org_id}, ${owner_id}, ${runner_job_id}, ${text}::text::jsonb)`;
}

/** Forgets one whose owner is gone. */
export async function forgetEvaluation(
  db: Db,
  { org_id, owner_id, runner_job_id }: Evaluation,
): Promise<void> {
  await db`
    delete from policy_evaluations e
     where e.org_id = ${org_id} and e.owner_id = ${owner_id} and e.runner_job_id = ${runner_job_id}`;
}

export type JudgedBuild = Pick<
  BuildRow,
  | "id"
  | "app_id"
  | "app_config_id"
  | "component_id"
  | "component_name"
  | "component_type"
  | "artifact"
  | "created_by_id"
>;

/** What of a build is judged. */
export async function findJudgedBuild(
  db: Db,
  org: OrgId,
  id: string,
): Promise<JudgedBuild | undefined> {
  const [row] = await db<JudgedBuild[]>`
    select b.id, b.app_id, b.app_config_id, b.component_id, b.component_name, b.component_type, b.artifact, b.created_by_id
      from component_builds b where b.org_id = ${org} and b.id = ${id}`;
  return row;
}

export type JudgedDeploy = Pick<
  DeployRow,
  "id" | "component_id" | "component_name" | "component_type" | "type"
> & {
  readonly app_id: string;
  readonly install_id: string;
  /** The config of its workflow, whose policies judge it. */
  readonly judging_config_id: string | null;
  readonly created_by_id: string;
};

/** What of a deploy, or of a run of a sandbox, is judged. */
export async function findJudgedDeploy(
  db: Db,
  org: OrgId,
  id: string,
): Promise<JudgedDeploy | undefined> {
  const [row] = await db<JudgedDeploy[]>`
    select d.id, d.install_id, d.component_id, d.component_name, d.component_type, d.type, d.created_by_id, i.app_id,
           coalesce(w.app_config_id, d.app_config_id) as judging_config_id
      from install_deploys d
      join installs i on i.org_id = d.org_id and i.id = d.install_id
      left join workflows w on w.org_id = d.org_id and w.id = d.workflow_id
     where d.org_id = ${org} and d.id = ${id}`;
  return row;
}

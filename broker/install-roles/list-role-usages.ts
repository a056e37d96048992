import type { WholeRoleUsage } from "../../shared/api/list-role-usages.ts";
import type { ListRequest } from "../database/page-request.ts";
import { mayRead, type Reader, showWork, type WorkParts } from "../jobs/show-work.ts";
import { toWorkflow } from "../workflows/to-workflow.ts";
import { findWorkflows } from "../workflows/workflow-queries.ts";
import { roleUsageRows } from "./role-usage-rows.ts";

type Rows = Awaited<ReturnType<typeof roleUsageRows.list>>;
type Listed = Rows[number] & { readonly whole: WholeRoleUsage };
type Wanted = ListRequest & {
  readonly installId: string;
  readonly filter: { readonly role_name?: string | undefined };
};

/** As whom the jobs of an install ran, the newest first, each with its job and its workflow, where the reader could read these by themselves. */
export async function listRoleUsages(
  parts: WorkParts,
  by: Reader,
  { installId, filter, ...request }: Wanted,
): Promise<Listed[]> {
  const { db } = parts;
  const params = { install_id: installId };
  const rows = await roleUsageRows.list(db, by.orgId, { params, filter, ...request });
  const jobIds = rows.map(({ runner_job_id: id }) => id);
  const [{ jobs = [] }, workflows] = await Promise.all([
    showWork(parts, by, { jobs: jobIds, logStreamId: null }),
    mayRead(by, "workflows.read") ? findWorkflows(db, by.orgId, workflowsOf(rows), by.bound) : [],
  ]);
  return rows.map((row) => {
    const job = jobs.find(({ id }) => id === row.runner_job_id);
    const workflow = workflows.find((one) => one.workflow.id === row.workflow_id);
    const whole = {
      ...roleUsageRows.toItem(row),
      ...(job && { runner_job: job }),
      ...(workflow && { workflow: toWorkflow(workflow) }),
    };
    return { ...row, whole };
  });
}

const workflowsOf = (rows: Rows): readonly string[] => [
  ...new Set(rows.map(({ workflow_id: id }) => id)),
];

import type { InstallDeploy, InstallSandboxRun } from "../../shared/api/install-deploys.ts";
import type { Db } from "../database/connect.ts";
import { mayRead, type Reader } from "../jobs/show-work.ts";
import { deployRows, type ShownDeployRow, toSandboxRun } from "./deploy-rows.ts";

type Shown = {
  readonly install_deploys?: InstallDeploy[];
  readonly install_sandbox_runs?: InstallSandboxRun[];
};

/** As many as a workflow has rarely. */
const mostShown = 200;

/** What a workflow deploys of components and of its install's sandbox, the newest first; nothing of one of an app, or to who may not read installs. */
export async function deploysOfWorkflow(
  db: Db,
  by: Reader,
  { id, owner_type: owner }: { readonly id: string; readonly owner_type: string },
): Promise<Shown> {
  if (owner !== "installs" || !mayRead(by, "installs.read")) return {};
  const rows = await db<ShownDeployRow[]>`
    ${db.unsafe(deployRows.select)}
     where d.org_id = ${by.orgId} and d.workflow_id = ${id} order by d.id desc limit ${mostShown}`;
  const [runs, deploys] = [rows.filter(isOfSandbox), rows.filter((row) => !isOfSandbox(row))];
  return {
    install_deploys: deploys.map((row) => deployRows.toItem(row)),
    install_sandbox_runs: runs.map(toSandboxRun),
  };
}

const isOfSandbox = ({ component_id: id }: ShownDeployRow): boolean => id === null;

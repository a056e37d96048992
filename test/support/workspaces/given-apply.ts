import type { Workspace } from "../../../shared/api/terraform-workspaces.ts";
import type { WorkspaceEvent } from "../../../shared/api/workspace-events.ts";
import { givenOperator } from "../broker/given-operator.ts";
import { givenStateJob, givenWorkspace, terraformLock } from "./given-workspace.ts";

type GivenApply = {
  readonly job?: object;
  readonly locks?: boolean;
  /** What terraform says in its lock that it is for. */
  readonly locksTo?: string;
};

/** An execution that works on a workspace and holds its lock, unless told. */
export async function givenApply(given: GivenApply = {}) {
  const at = await givenOperator();
  const id = await givenWorkspace(at);
  const job = { operation: "apply-plan", ...given.job };
  const state = await givenStateJob(at, id, { job });
  const own = { token: state.token };
  const path = `/v1/terraform-workspaces/${id}`;
  const executionPath = `/v1/runner-jobs/${state.jobId}/executions/${state.executionId}`;
  await at.call(`PATCH ${executionPath}`, { ...own, body: { status: "in-progress" } });
  const lock = { ...terraformLock(), ...(given.locksTo && { Operation: given.locksTo }) };
  if (given.locks !== false) await at.call(`POST ${path}/lock`, { ...own, body: lock });
  const read = async () => (await at.call<Workspace>(`GET ${path}`)).body;
  const events = async () => (await at.call<WorkspaceEvent[]>(`GET ${path}/events`)).body;
  const fail = (metadata: object) =>
    at.call(`POST ${executionPath}/finish`, {
      ...own,
      body: { status: "failed", result: { success: false, error_metadata: metadata } },
    });
  const jobStatus = async () =>
    (await at.call<{ status: string }>(`GET /v1/runner-jobs/${state.jobId}`)).body.status;
  return { at, id, ...state, own, path, executionPath, lock, read, events, fail, jobStatus };
}

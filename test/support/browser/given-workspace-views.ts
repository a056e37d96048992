import {
  backendPath,
  contentMd5,
  givenStateJob,
  givenWorkspace,
  stateText,
  terraformLock,
} from "../workspaces/given-workspace.ts";
import type { GivenDashboard } from "./given-dashboard.ts";
import { hostile, type View } from "./view.ts";

/** Workspaces with revisions, a lock and a block, and where pages show them. */
export async function givenWorkspaceViews(dashboard: GivenDashboard): Promise<View[]> {
  const { call } = dashboard;
  const id = await givenWorkspace(dashboard);
  const { token } = await givenStateJob(dashboard, id);
  const lock = { ...terraformLock(), Who: hostile };
  await call(`POST /v1/terraform-workspaces/${id}/lock`, { token, body: lock });
  for (const serial of [1, 2]) {
    const body = stateText({ serial });
    await call(`POST ${backendPath(id, lock.ID)}`, { token, body, headers: contentMd5(body) });
  }
  await call(`POST /v1/terraform-workspaces/${id}/block`, { body: { reason: hostile } });
  const free = await givenWorkspace(dashboard);
  const at = `/workspaces/${id}`;
  const page = "/workspaces/{workspace_id}";
  return [
    { path: "/workspaces", address: "/workspaces", has: id, whenEmpty: "No workspaces yet" },
    { path: page, address: at, has: "Nobody gets a lock" },
    { path: page, address: `/workspaces/${free}`, has: "No state was written yet" },
    { path: page, address: `${at}/unblock`, has: "Jobs can take the lock again" },
    { path: page, address: `/workspaces/${free}/block`, has: "Reason" },
    {
      path: `${page}/revisions/{revision}`,
      address: `${at}/revisions/2`,
      has: "terraform_data.one",
    },
  ];
}

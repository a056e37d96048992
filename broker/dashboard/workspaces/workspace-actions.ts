import { html } from "hono/html";
import {
  blockWorkspaceRoute,
  forceUnlockRoute,
  getWorkspaceRoute,
  unblockWorkspaceRoute,
  type Workspace,
} from "../../../shared/api/terraform-workspaces.ts";
import type { Action, Html, View } from "../page.ts";
import { textField } from "../parts/fields.ts";
import { notNow } from "../parts/not-now.ts";
import { timeAgo } from "../parts/time.ts";

const path = "/workspaces/{workspace_id}";
const permission = "state.write";
const paramsOf = (view: View) => ({ workspace_id: view.param("workspace_id") });
const find = async (view: View): Promise<Workspace> =>
  await view.ask(getWorkspaceRoute, { params: paramsOf(view) });
const placeOf = ({ id }: Workspace): string => `/workspaces/${id}`;
const nameOf = ({ owner_id: owner, id }: Workspace): string => owner || id;

const reasonField = (entered: URLSearchParams): Html =>
  textField(
    { name: "reason", label: "Reason", hint: "It is kept with the event.", isRequired: true },
    entered,
  );
const reasonOf = (form: URLSearchParams): { reason: string } => ({
  reason: form.get("reason")?.trim() ?? "",
});

const forceUnlock: Action = {
  path: `${path}/force-unlock`,
  permission,
  async ask(view, entered) {
    const workspace = await findUnlockable(view);
    const { lock } = workspace;
    return {
      title: `Unlock ${nameOf(workspace)} by force`,
      text: html`<p>
          ${lock?.lock.who || "Somebody"} holds the lock for
          ${lock?.lock.operation || "an operation"}, since ${timeAgo(lock?.created_at, view.nowMs)}.
          ${lock?.runner_job_status == null ? "No job of a runner stands behind it." : `Its job is ${lock.runner_job_status}.`}
        </p>
        <p>
          First make sure that nothing writes any more: a job that was ended may still save its
          state.
        </p>`,
      fields: reasonField(entered),
      button: "Unlock by force",
      isDangerous: true,
      back: placeOf(workspace),
    };
  },
  async run(view, form) {
    const workspace = await ask(view, forceUnlockRoute, form);
    return { said: `Unlocked ${nameOf(workspace)}.`, to: placeOf(workspace) };
  },
};

const blockWorkspace: Action = {
  path: `${path}/block`,
  permission,
  async ask(view, entered) {
    const workspace = await find(view);
    return {
      title: `Block ${nameOf(workspace)}`,
      text: "Nobody gets a lock while it is blocked, and nothing is written without one. Whoever holds the lock now may still save the state.",
      fields: reasonField(entered),
      button: "Block",
      back: placeOf(workspace),
    };
  },
  run: async (view, form) => done(await ask(view, blockWorkspaceRoute, form), "Block", "Unblock"),
};

const unblockWorkspace: Action = {
  path: `${path}/unblock`,
  permission,
  async ask(view, entered) {
    const workspace = await find(view);
    const { block } = workspace;
    if (block === null) throw notNow("This workspace is not blocked.");
    return {
      title: `Unblock ${nameOf(workspace)}`,
      text: html`<p>It was blocked ${timeAgo(block.blocked_at, view.nowMs)}: ${block.reason}</p>
        <p>Jobs can take the lock again. A lock that is held stays.</p>`,
      fields: reasonField(entered),
      button: "Unblock",
      back: placeOf(workspace),
    };
  },
  run: async (view, form) => done(await ask(view, unblockWorkspaceRoute, form), "Unblock", "Block"),
};

/** Everything that can be done with a workspace. */
export const workspaceActions: readonly Action[] = [forceUnlock, blockWorkspace, unblockWorkspace];

type ReasonedRoute =
  | typeof forceUnlockRoute
  | typeof blockWorkspaceRoute
  | typeof unblockWorkspaceRoute;

/** Does something with the workspace, for the reason that was given. */
async function ask(view: View, route: ReasonedRoute, form: URLSearchParams): Promise<Workspace> {
  return await view.ask(route, { params: paramsOf(view), body: reasonOf(form) });
}

/** What was done, and how it is undone: each is the other's opposite. */
function done(workspace: Workspace, verb: string, opposite: string) {
  const to = placeOf(workspace);
  const undo = { label: opposite, action: `${to}/${opposite.toLowerCase()}` };
  return { said: `${verb}ed ${nameOf(workspace)}.`, to, undo };
}

/** The broker keeps the lock of a job that may be writing; of one that runs there is nothing to ask. */
async function findUnlockable(view: View): Promise<Workspace> {
  const workspace = await find(view);
  const { lock } = workspace;
  if (lock === null) throw notNow("This workspace is not locked.");
  if (lock.runner_job_status !== "in-progress") return workspace;
  throw notNow(
    `Job ${lock.runner_job_id ?? ""} is running and holds this lock, so it was not removed. Cancel the job first, and wait until it has ended.`,
  );
}

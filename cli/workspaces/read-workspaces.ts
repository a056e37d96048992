import {
  diffStatesRoute,
  listStatesRoute,
  type StateDiff,
} from "../../shared/api/terraform-revisions.ts";
import { getWorkspaceRoute, listWorkspacesRoute } from "../../shared/api/terraform-workspaces.ts";
import { listWorkspaceEventsRoute } from "../../shared/api/workspace-events.ts";
import { parseExactly } from "../../shared/parse-exactly.ts";
import { defineCommand } from "../command.ts";
import { readWhole } from "../flags/read-flags.ts";
import { defineList } from "../lists/define-list.ts";
import { formatAge } from "../output/format-age.ts";
import { printItem } from "../output/print.ts";
import type { Screen } from "../output/screen.ts";
import { stateLine, workspaceDetails, workspaceLine } from "./workspace-view.ts";

const args = { workspace: { summary: "The workspace's id.", offers: "workspaces" } } as const;

export const listWorkspaces = defineList({
  name: "workspace list",
  summary: "List terraform workspaces, newest first.",
  flags: {
    owner: { value: "OWNER", summary: "Only this owner's." },
    locked: { summary: "Only locked ones." },
    blocked: { summary: "Only blocked ones." },
    deleted: { summary: "Only deleted ones, which can be restored." },
  },
  examples: [{ does: "List locked workspaces.", run: "svc workspace list --locked" }],
  view: workspaceLine,
  empty: "No workspaces found. A control plane creates them: POST /v1/terraform-workspaces",
  read: async ({ flags, call, page }) => {
    const query = {
      owner_id: flags.owner,
      locked: only(flags.locked),
      blocked: only(flags.blocked),
      deleted: only(flags.deleted),
      ...page,
    };
    return await call(listWorkspacesRoute, { query });
  },
});

const only = (isAsked: boolean) => (isAsked ? ("true" as const) : undefined);

export const showWorkspace = defineCommand({
  name: "workspace show",
  summary: "Show a workspace: its state, its lock, and what people did to it.",
  args,
  examples: [{ does: "Show who holds the lock.", run: "svc workspace show tfw_…" }],
  run: async ({ args, call, screen }) => {
    const params = { workspace_id: args.workspace };
    printItem(screen, await call(getWorkspaceRoute, { params }), workspaceDetails);
    if (screen.format !== "table") return;
    const events = await call(listWorkspaceEventsRoute, { params });
    for (const { kind, actor_id: by, reason, at } of events.body.slice(0, 10)) {
      screen.out(`${formatAge(at).padStart(9)}  ${kind} by ${by}${reason && `: ${reason}`}`);
    }
  },
});

export const listRevisions = defineList({
  name: "workspace history",
  summary: "List the revisions of a workspace's state, newest first.",
  args,
  examples: [{ does: "Show the last five writes.", run: "svc workspace history tfw_… --limit 5" }],
  view: stateLine,
  empty: "No state has been saved yet.",
  read: async ({ args, call, page }) =>
    await call(listStatesRoute, { params: { workspace_id: args.workspace }, query: page }),
});

export const diffRevisions = defineCommand({
  name: "workspace diff",
  summary: "Compare two revisions of a workspace's state; sensitive values are not shown.",
  args,
  flags: {
    from: { value: "REVISION", summary: "The older revision (default: the one before --to)." },
    to: { value: "REVISION", summary: "The newer revision (default: the current one)." },
  },
  examples: [
    { does: "Show what the last write changed.", run: "svc workspace diff tfw_…" },
    { does: "Show all changes since revision 3.", run: "svc workspace diff tfw_… --from 3" },
  ],
  run: async ({ args, flags, call, screen }) => {
    const params = { workspace_id: args.workspace };
    const query = { from: readWhole("--from", flags.from), to: readWhole("--to", flags.to) };
    const answer = await call(diffStatesRoute, { params, query });
    if (screen.format === "table") showDiff(screen, parseExactly(answer.text) as StateDiff); // by the contract
    else screen.out(answer.text);
  },
});

const signs = { added: "+", removed: "-", changed: "~" } as const;

function showDiff(screen: Screen, { from, to, resources, outputs }: StateDiff): void {
  screen.say(`revision ${from.revision} → ${to.revision}`);
  for (const { address, change, attributes, status } of resources) {
    screen.out(`${signs[change]} ${address}${status === undefined ? "" : statusText(status)}`);
    if (change === "changed") for (const one of attributes) screen.out(`    ${changeText(one)}`);
  }
  for (const output of outputs) screen.out(`${signs[output.change]} output ${changeText(output)}`);
  if (resources.length === 0 && outputs.length === 0) {
    screen.say("No differences. Sensitive values are not compared.");
  }
}

function statusText({ before, after }: { readonly before: string; readonly after: string }) {
  return after === "" ? ` (no longer ${before})` : ` (${after})`;
}

type Changed = { readonly name: string; readonly before?: unknown; readonly after?: unknown };

function changeText({ name, before, after }: Changed): string {
  return `${name}: ${valueText(before)} → ${valueText(after)}`;
}

const longest = 60;

function valueText(value: unknown): string {
  const text = JSON.stringify(value) ?? "none";
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

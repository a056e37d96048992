import { runnerLifecycles, runnerStatuses } from "../../shared/api/runner.ts";
import { listRunnersRoute } from "../../shared/api/runners.ts";
import { defineList } from "../lists/define-list.ts";
import { runnerLine } from "./runner-view.ts";

export const listRunners = defineList({
  name: "runner list",
  summary: "List runners, newest first.",
  flags: {
    group: { value: "GROUP", offers: "groups", summary: "Only this runner group's." },
    status: { value: "STATUS", choices: runnerStatuses, summary: "Only runners in this status." },
    lifecycle: { value: "WORD", choices: runnerLifecycles, summary: "Only those set to this." },
    name: { value: "NAME", summary: "Only the one with this name." },
  },
  examples: [{ does: "List offline runners.", run: "svc runner list --status offline" }],
  view: runnerLine,
  empty: "No runners found. Create one: svc runner create",
  factsOf: (runner) => ({ ...runner, process_summary: undefined }),
  read: async ({ flags, call, page }) => {
    const { group: runner_group_id, status, lifecycle, name } = flags;
    const query = { runner_group_id, status, lifecycle, name, ...page };
    return await call(listRunnersRoute, { query });
  },
});

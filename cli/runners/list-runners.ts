import { runnerStatuses } from "../../shared/api/runner.ts";
import { listRunnersRoute } from "../../shared/api/runners.ts";
import { defineCommand } from "../command.ts";
import { pageFlags } from "../flags/global-flags.ts";
import { printPage } from "../output/print.ts";
import { runnerLine } from "./runner-view.ts";

export const listRunners = defineCommand({
  name: "runner list",
  summary: "List runners, newest first.",
  flags: {
    group: { value: "GROUP", summary: "Only this runner group's." },
    status: { value: "STATUS", choices: runnerStatuses, summary: "Only runners in this status." },
    ...pageFlags,
  },
  examples: [{ does: "List offline runners.", run: "svc runner list --status offline" }],
  run: async ({ flags, call, screen }) => {
    const { status, cursor } = flags;
    const query = { runner_group_id: flags.group, status, limit: flags.limit, cursor };
    printPage(screen, await call(listRunnersRoute, { query }), {
      ...runnerLine,
      empty: "No runners. Create one: svc runner create",
      more: "svc runner list (with the same flags)",
    });
  },
});

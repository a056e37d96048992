import { getRunnerRoute } from "../../shared/api/runners.ts";
import { defineCommand } from "../command.ts";
import { printItem } from "../print.ts";
import { runnerDetails } from "./runner-view.ts";

export const getRunner = defineCommand({
  name: "runner get",
  summary: "Show a runner and its queues.",
  args: { runner: { summary: "The runner's id.", offers: "runners" } },
  examples: [{ does: "how it is", run: "svc runner get run_…" }],
  run: async ({ args, call, screen }) => {
    const params = { runner_id: args.runner };
    printItem(screen, await call(getRunnerRoute, { params }), runnerDetails);
  },
});

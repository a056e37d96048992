import { listProcessesRoute } from "../../shared/api/runner-process.ts";
import { getRunnerRoute } from "../../shared/api/runners.ts";
import { defineCommand } from "../command.ts";
import { printItem } from "../output/print.ts";
import { runnerDetails, runnerWithProcesses } from "./runner-view.ts";

const mostProcesses = 50;

export const getRunner = defineCommand({
  name: "runner get",
  summary: "Show a runner, its queues, and its running processes with their versions.",
  details: "With -o json, the processes are left out; they are at /v1/runners/{id}/processes.",
  args: { runner: { summary: "The runner's id.", offers: "runners" } },
  examples: [{ does: "Show a runner.", run: "svc runner get run_…" }],
  run: async ({ args, call, screen }) => {
    const params = { runner_id: args.runner };
    const { text, body } = await call(getRunnerRoute, { params });
    if (screen.format !== "table") return printItem(screen, { text, body }, runnerDetails);
    const page = await call(listProcessesRoute, { params, query: { limit: mostProcesses } });
    const runner = { ...body, processes: page.body.items };
    printItem(screen, { text, body: runner }, runnerWithProcesses);
  },
});

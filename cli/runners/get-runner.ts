import { listProcessesRoute } from "../../shared/api/runner-process.ts";
import { getRunnerRoute } from "../../shared/api/runners.ts";
import { defineCommand } from "../command.ts";
import { printItem } from "../output/print.ts";
import { runnerDetails, runnerWithProcesses } from "./runner-view.ts";

const mostProcesses = 100;

export const getRunner = defineCommand({
  name: "runner get",
  summary: "Show a runner, its queues, and its running processes with their versions.",
  details: "With -o json, the processes are left out: see svc process list.",
  args: {
    runner: {
      summary: "The runner's id (default: that of the profile, or of the project's svc dev).",
      offers: "runners",
      isOptional: true,
    },
  },
  examples: [{ does: "Show a runner.", run: "svc runner get run_…" }],
  run: async ({ args, call, runnerOf, screen }) => {
    const params = { runner_id: await runnerOf(args.runner) };
    const { text, body } = await call(getRunnerRoute, { params });
    if (screen.format !== "table") return printItem(screen, { text, body }, runnerDetails);
    const query = { alive: "true", limit: mostProcesses } as const;
    const page = await call(listProcessesRoute, { params, query });
    const { items: processes, next_cursor: next } = page.body;
    const runner = { ...body, processes, hasMoreProcesses: next !== null };
    printItem(screen, { text, body: runner }, runnerWithProcesses);
  },
});

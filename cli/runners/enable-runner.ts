import { disableRunnerRoute, enableRunnerRoute } from "../../shared/api/runners.ts";
import { defineCommand } from "../command.ts";
import { printItem } from "../output/print.ts";
import { runnerDetails } from "./runner-view.ts";

const args = { runner: { summary: "The runner's id.", offers: "runners" } } as const;

export const enableRunner = defineCommand({
  name: "runner enable",
  summary: "Enable a runner.",
  args,
  examples: [{ does: "Enable a disabled runner.", run: "svc runner enable run_…" }],
  run: async ({ args, call, screen }) => {
    const params = { runner_id: args.runner };
    printItem(screen, await call(enableRunnerRoute, { params }), runnerDetails);
  },
});

export const disableRunner = defineCommand({
  name: "runner disable",
  summary: "Disable a runner: it takes no new jobs, running jobs finish.",
  args,
  examples: [{ does: "Take a runner out of service.", run: "svc runner disable run_…" }],
  run: async ({ args, call, screen }) => {
    const params = { runner_id: args.runner };
    printItem(screen, await call(disableRunnerRoute, { params }), runnerDetails);
    screen.say(`Undo it: svc runner enable ${args.runner}`);
  },
});

import { pauseRunnerRoute, resumeRunnerRoute } from "../../shared/api/runners.ts";
import { defineCommand } from "../command.ts";
import { printItem } from "../output/print.ts";
import { runnerDetails } from "./runner-view.ts";

const args = { runner: { summary: "The runner's id.", offers: "runners" } } as const;
const note = { value: "TEXT", summary: "The reason, which others see." } as const;

export const pauseRunner = defineCommand({
  name: "runner pause",
  summary: "Pause a runner: it gets no jobs; running jobs continue.",
  args,
  flags: {
    note,
    until: {
      value: "WHEN",
      summary: "When it resumes: an instant, or a duration from now like 15m (default: never).",
    },
  },
  examples: [
    { does: "Pause for maintenance.", run: 'svc runner pause run_… --until 30m --note "new disk"' },
  ],
  run: async ({ args, flags, call, screen }) => {
    const { note, until } = flags;
    const body = { ...(note !== undefined && { note }), ...(until !== undefined && { until }) };
    const params = { runner_id: args.runner };
    printItem(screen, await call(pauseRunnerRoute, { params, body }), runnerDetails);
    screen.say(`Undo it: svc runner resume ${args.runner}`);
  },
});

export const resumeRunner = defineCommand({
  name: "runner resume",
  summary: "Resume a paused runner.",
  args,
  flags: { note },
  examples: [{ does: "Resume the runner.", run: "svc runner resume run_…" }],
  run: async ({ args, flags, call, screen }) => {
    const body = flags.note === undefined ? {} : { note: flags.note };
    const params = { runner_id: args.runner };
    printItem(screen, await call(resumeRunnerRoute, { params, body }), runnerDetails);
  },
});

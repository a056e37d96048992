import { flushRunnerRoute } from "../../shared/api/control-runner-jobs.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { runnerJobGroups } from "../../shared/runner-job-types.ts";
import { defineCommand } from "../command.ts";

export const flushRunner = defineCommand({
  name: "runner flush",
  summary: "End the jobs that wait for a runner as not attempted. Running jobs continue.",
  details: "None of them has started. Each can be run again: svc job rerun.",
  args: { runner: { summary: "The runner's id.", offers: "runners" } },
  flags: {
    group: {
      value: "GROUP",
      choices: runnerJobGroups,
      summary: "Only those of this job group (default: all).",
    },
    yes: { summary: "Required: this cannot be undone." },
  },
  examples: [
    { does: "End all deploys that wait.", run: "svc runner flush run_… --group deploy --yes" },
  ],
  run: async ({ args, flags: { group, yes }, call, screen }) => {
    if (!yes) throw new UsageError("Ending jobs cannot be undone. To confirm, add --yes.");
    const params = { runner_id: args.runner };
    const body = group === undefined ? {} : { group };
    const { text, body: done } = await call(flushRunnerRoute, { params, body });
    if (screen.format !== "table") return screen.out(text.trimEnd());
    screen.out(`${done.flushed === 1 ? "1 job was" : `${done.flushed} jobs were`} ended.`);
  },
});

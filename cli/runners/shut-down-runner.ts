import {
  forceShutdownRoute,
  gracefulShutdownRoute,
  restartRunnerRoute,
} from "../../shared/api/runner-process-shutdown.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { defineCommand } from "../command.ts";
import { type View, printPage } from "../output/print.ts";

const shutdownLine: View<{ id: string; runner_process_id: string; type: string; status: string }> =
  {
    nameOf: ({ id }) => id,
    columns: {
      ID: ({ id }) => id,
      PROCESS: ({ runner_process_id }) => runner_process_id,
      TYPE: ({ type }) => type,
      STATUS: ({ status }) => status,
    },
  };

export const shutDownRunner = defineCommand({
  name: "runner shutdown",
  summary: "Shut down all processes of a runner once their running jobs end.",
  args: { runner: { summary: "The runner's id.", offers: "runners" } },
  flags: {
    force: { summary: "Stop at once. Running jobs fail." },
    restart: { summary: "Restart afterwards." },
    deadline: { value: "DURATION", summary: "How long running jobs may continue (default 30m)." },
  },
  examples: [
    { does: "Let running jobs finish.", run: "svc runner shutdown run_… --deadline 10m" },
    { does: "Restart the agent.", run: "svc runner shutdown run_… --restart" },
  ],
  run: async ({ args, flags, call, screen }) => {
    const { force, restart, deadline } = flags;
    if (force && (restart || deadline !== undefined)) {
      throw new UsageError("--force cannot be used together with --restart or --deadline.");
    }
    const params = { runner_id: args.runner };
    const body = deadline === undefined ? {} : { deadline };
    const route = restart ? restartRunnerRoute : gracefulShutdownRoute;
    const records = force
      ? await call(forceShutdownRoute, { params })
      : await call(route, { params, body });
    const page = { text: records.text, body: { items: records.body, next_cursor: null } };
    const empty = `No process of ${args.runner} lives.`;
    printPage(screen, page, { ...shutdownLine, empty, more: "" });
  },
});

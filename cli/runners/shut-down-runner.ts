import {
  forceShutdownRoute,
  gracefulShutdownRoute,
  restartRunnerRoute,
} from "../../shared/api/runner-process-shutdown.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { defineCommand } from "../command.ts";
import { giveOrder, orderFlags } from "./give-order.ts";

export const shutDownRunner = defineCommand({
  name: "runner shutdown",
  summary: "Shut down all processes of a runner once their running jobs end.",
  details:
    "Without --force or --restart it is a graceful shutdown: the processes drain, and end. That is what svc runner drain orders, too. The management process of its host (svc-agent mng) stays.",
  args: { runner: { summary: "The runner's id.", offers: "runners" } },
  flags: {
    force: { summary: "Do not drain: stop at once. Running jobs fail." },
    restart: { summary: "Drain, then start again." },
    ...orderFlags,
  },
  examples: [
    { does: "Let running jobs finish.", run: "svc runner shutdown run_… --deadline 10m" },
    { does: "Restart the agent.", run: "svc runner shutdown run_… --restart" },
  ],
  run: async ({ args, flags, call, screen }) => {
    const { force, restart, deadline, reason } = flags;
    if (force && (restart || deadline !== undefined)) {
      throw new UsageError("--force cannot be used together with --restart or --deadline.");
    }
    const params = { runner_id: args.runner };
    const why = reason === undefined ? {} : { reason };
    const body = { ...why, ...(deadline !== undefined && { deadline }) };
    const route = restart ? restartRunnerRoute : gracefulShutdownRoute;
    const give = async () =>
      force
        ? await call(forceShutdownRoute, { params, body: why })
        : await call(route, { params, body });
    return await giveOrder({ call, screen }, { runnerId: args.runner, flags, give });
  },
});

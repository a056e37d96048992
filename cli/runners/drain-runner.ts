import { gracefulShutdownRoute } from "../../shared/api/runner-process-shutdown.ts";
import { defineCommand } from "../command.ts";
import { giveOrder, orderFlags } from "./give-order.ts";

export const drainRunner = defineCommand({
  name: "runner drain",
  summary: "Let a runner's running jobs finish, give it no new ones, and shut down its processes.",
  details:
    "Draining means: running jobs finish and no new ones start. It is the same graceful shutdown of all processes that svc runner shutdown orders. Jobs that run beyond the deadline are killed and fail. Jobs that wait keep waiting for the next process. The management process of its host (svc-agent mng) stays, and can start the agent again: svc runner mng restart.",
  args: { runner: { summary: "The runner's id.", offers: "runners" } },
  flags: orderFlags,
  examples: [
    {
      does: "Drain a runner before its machine goes, and see what still runs.",
      run: 'svc runner drain run_… --wait --deadline 10m --reason "new machine"',
    },
  ],
  run: async ({ args, flags, call, screen }) => {
    const { deadline, reason } = flags;
    const params = { runner_id: args.runner };
    const body = {
      ...(deadline !== undefined && { deadline }),
      ...(reason !== undefined && { reason }),
    };
    const give = async () => await call(gracefulShutdownRoute, { params, body });
    return await giveOrder({ call, screen }, { runnerId: args.runner, flags, give });
  },
});

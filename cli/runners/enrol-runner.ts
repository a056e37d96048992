import { createEnrolmentTokenRoute } from "../../shared/api/enrolment.ts";
import { getRunnerRoute } from "../../shared/api/runners.ts";
import { defineCommand } from "../command.ts";
import { showEnrolment } from "./show-enrolment.ts";

export const enrolRunner = defineCommand({
  name: "runner enrol",
  summary: "Make another one-time token for a runner's agent.",
  args: { runner: { summary: "The runner's id.", offers: "runners" } },
  examples: [{ does: "for a second machine", run: "svc runner enrol run_…" }],
  run: async ({ args, call, screen, connect }) => {
    const params = { runner_id: args.runner };
    const runner = await call(getRunnerRoute, { params });
    const token = await call(createEnrolmentTokenRoute, { params });
    showEnrolment(screen, { url: (await connect()).url, runner: runner.body, token: token.body });
  },
});

import { createEnrolmentTokenRoute } from "../../shared/api/enrolment.ts";
import { getRunnerRoute } from "../../shared/api/runners.ts";
import { defineCommand } from "../command.ts";
import { showEnrolmentToken } from "./show-enrolment.ts";

export const enrolRunner = defineCommand({
  name: "runner enrol",
  summary: "Create another one-time token for a runner's agent.",
  args: { runner: { summary: "The runner's id.", offers: "runners" } },
  details: "The token can be used once, within an hour. It is shown only once.",
  examples: [
    {
      does: "Enrol a second machine with a file that no one else can read.",
      run: "(umask 077; svc runner enrol run_… > enrolment-token)",
    },
  ],
  run: async ({ args, call, screen, connect }) => {
    const params = { runner_id: args.runner };
    const runner = await call(getRunnerRoute, { params });
    const token = await call(createEnrolmentTokenRoute, { params });
    showEnrolmentToken(screen, {
      url: (await connect()).url,
      runner: runner.body,
      token: token.body,
    });
  },
});

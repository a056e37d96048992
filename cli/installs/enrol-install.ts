import { createBootstrapTokenRoute } from "../../shared/api/enrolment.ts";
import { getRunnerRoute } from "../../shared/api/runners.ts";
import { defineCommand } from "../command.ts";
import { showEnrolmentToken } from "../runners/show-enrolment.ts";
import { findInstall, installArgs as args } from "./find-install.ts";

export const enrolInstall = defineCommand({
  name: "install enrol",
  summary: "Create a one-time token for the agent of an install's runner.",
  args,
  details: "The token can be used once, within an hour. It is shown only once.",
  examples: [
    {
      does: "Keep it in a file that no one else can read.",
      run: "(umask 077; svc install enrol acme > enrolment-token)",
    },
  ],
  run: async ({ args, call, screen, connect }) => {
    const { id, runner_id } = (await findInstall(call, args.install)).body;
    const runner = await call(getRunnerRoute, { params: { runner_id } });
    const token = await call(createBootstrapTokenRoute, { params: { install_id: id } });
    const { url } = await connect();
    showEnrolmentToken(screen, { url, runner: runner.body, token: token.body });
  },
});

import { deleteRunnerRoute } from "../../shared/api/runners.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { defineCommand } from "../command.ts";

export const deleteRunner = defineCommand({
  name: "runner delete",
  summary: "Delete a runner: what waits is not attempted, its tokens are revoked.",
  args: { runner: { summary: "The runner's id.", offers: "runners" } },
  flags: { yes: { summary: "Needed: this cannot be undone." } },
  examples: [{ does: "for good", run: "svc runner delete run_… --yes" }],
  run: async ({ args, flags, call, screen }) => {
    if (!flags.yes) throw new UsageError("A deleted runner does not come back: add --yes.");
    await call(deleteRunnerRoute, { params: { runner_id: args.runner } });
    screen.say(`${args.runner} is deleted.`);
  },
});

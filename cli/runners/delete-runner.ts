import { deleteRunnerRoute } from "../../shared/api/runners.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { defineCommand } from "../command.ts";

export const deleteRunner = defineCommand({
  name: "runner delete",
  summary: "Delete a runner: its waiting jobs are not attempted, its tokens are revoked.",
  args: { runner: { summary: "The runner's id.", offers: "runners" } },
  flags: { yes: { summary: "Required: this cannot be undone." } },
  examples: [{ does: "Delete without confirmation.", run: "svc runner delete run_… --yes" }],
  run: async ({ args, flags, call, screen }) => {
    if (!flags.yes)
      throw new UsageError("Deleting a runner cannot be undone. To confirm, add --yes.");
    await call(deleteRunnerRoute, { params: { runner_id: args.runner } });
    screen.say(`${args.runner} is deleted.`);
  },
});

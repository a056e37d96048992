import { setTimeout as sleep } from "node:timers/promises";
import { bePatient } from "../../client/waits/be-patient.ts";
import { updateRunnerSettingsRoute } from "../../shared/api/runner-settings.ts";
import { type RunnerUpdate, updateRunnerVersionRoute } from "../../shared/api/runner-updates.ts";
import { getRunnerRoute } from "../../shared/api/runners.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { isLast } from "../../shared/moves.ts";
import { shutdownTransitions } from "../../shared/runner-process.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { formatAge } from "../output/format-age.ts";
import { printItem, type View } from "../output/print.ts";

const lookMs = 1000;

/** An order to update by itself. */
const updateDetails: View<RunnerUpdate> = {
  nameOf: ({ job_id: id }) => id,
  columns: {
    job: ({ job_id: id }) => id,
    runner: ({ runner_id: id }) => id,
    wants: ({ version, image }) => version || image,
    status: ({ status, status_description: text }) => (text === "" ? status : `${status}: ${text}`),
    reason: ({ reason }) => reason,
    by: ({ created_by_id: id }) => id,
    until: ({ deadline_at: at }) => at ?? "",
  },
};

export const updateRunnerVersion = defineCommand({
  name: "runner update-version",
  summary: "Have a runner's host run another version of the agent.",
  details:
    "The host's management process (svc-agent mng) switches it once running jobs have ended, and goes back if the new version does not work. " +
    "Hosts follow the settings of their group: if these name a version, only that one can be ordered.",
  args: {
    runner: { summary: "The runner's id.", offers: "runners" },
    version: { summary: "The version, like 1.3.0 (default: the settings').", isOptional: true },
  },
  flags: {
    image: { value: "IMAGE", summary: "An image with its tag instead, for hosts that run one." },
    "change-settings": {
      summary: "First make it the version in the settings: all runners of the group follow.",
    },
    deadline: { value: "DURATION", summary: "When it is given up (default 1h, at least 5m)." },
    reason: { value: "TEXT", summary: "The reason, visible to others." },
    wait: { summary: "Wait until it is over; exit code 1 unless it completed." },
  },
  examples: [
    {
      does: "Switch one host, and wait for the result.",
      run: 'svc runner update-version run_… 1.3.0 --reason "a fix" --wait',
    },
    {
      does: "Do at once what the settings ask for.",
      run: "svc runner update-version run_…",
    },
  ],
  run: async ({ args, flags, call, screen }) => {
    const { image, deadline, reason } = flags;
    const { version } = args;
    if (version !== undefined && image !== undefined)
      throw new UsageError("Give either VERSION or --image.");
    const params = { runner_id: args.runner };
    if (flags["change-settings"]) {
      if (version === undefined) throw new UsageError("--change-settings needs VERSION.");
      await call(updateRunnerSettingsRoute, { params, body: { binary_version: version } });
    }
    const body = {
      ...(version !== undefined && { version }),
      ...(image !== undefined && { image }),
      ...(deadline !== undefined && { deadline }),
      ...(reason !== undefined && { reason }),
    };
    const made = await call(updateRunnerVersionRoute, { params, body });
    const { job_id: jobId } = made.body;
    if (!flags.wait) {
      printItem(screen, made, updateDetails);
      screen.say(`Follow it: svc job wait ${jobId}. Cancel it: svc job cancel ${jobId}`);
      return exitCodes.ok.code;
    }
    screen.say(`Ordered as ${jobId}. To cancel it: svc job cancel ${jobId}`);
    for (;;) {
      const { body: runner } = await bePatient(async () => await call(getRunnerRoute, { params }));
      const seen = runner.updates?.find((one) => one.job_id === jobId) ?? made.body;
      const since = `for ${formatAge(seen.updated_at)}`;
      const isOver = isLast(shutdownTransitions, seen.status);
      screen.status?.(isOver ? undefined : `${runner.versions.summary}: ${seen.status} ${since}`);
      if (isOver) {
        printItem(screen, { text: JSON.stringify(seen), body: seen }, updateDetails);
        return seen.status === "completed" ? exitCodes.ok.code : exitCodes.failed.code;
      }
      await sleep(lookMs);
    }
  },
});

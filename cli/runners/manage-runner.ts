import {
  restartManagedRunnerRoute,
  shutDownManagedRunnerRoute,
  shutDownRunnerVmRoute,
} from "../../shared/api/manage-runner.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { type Command, defineCommand } from "../command.ts";
import { jobDetails } from "../jobs/job-view.ts";
import { printItem } from "../output/print.ts";

const runner = { summary: "The runner's id.", offers: "runners" } as const;
const flags = {
  deadline: {
    value: "DURATION",
    summary: "When it is given up, also if nobody has begun it (default 1h).",
  },
  reason: { value: "TEXT", summary: "The reason, visible to others." },
} as const;
const details =
  "It is a job for the host's management process (svc-agent mng), which lets running jobs end first.";

type Given = { readonly deadline?: string | undefined; readonly reason?: string | undefined };

const bodyOf = ({ deadline, reason }: Given) => ({
  ...(deadline !== undefined && { deadline }),
  ...(reason !== undefined && { reason }),
});

const follow = (jobId: string): string => `Wait for it: svc job wait ${jobId} --exit-status`;

const restart = defineCommand({
  name: "runner mng restart",
  summary: "Have a runner's host restart the agent, even if it was shut down.",
  details,
  args: { runner },
  flags,
  examples: [
    { does: "Start an agent again that was drained.", run: "svc runner mng restart run_…" },
  ],
  run: async ({ args, flags: given, call, screen }) => {
    const params = { runner_id: args.runner };
    const job = await call(restartManagedRunnerRoute, { params, body: bodyOf(given) });
    printItem(screen, job, jobDetails);
    screen.say(follow(job.body.id));
  },
});

const shutDown = defineCommand({
  name: "runner mng shutdown",
  summary: "Have a runner's host stop the agent, until svc runner mng restart.",
  details,
  args: { runner },
  flags,
  examples: [
    {
      does: "Stop the agent of a host.",
      run: 'svc runner mng shutdown run_… --reason "a new disk"',
    },
  ],
  run: async ({ args, flags: given, call, screen }) => {
    const params = { runner_id: args.runner };
    const job = await call(shutDownManagedRunnerRoute, { params, body: bodyOf(given) });
    printItem(screen, job, jobDetails);
    screen.say(follow(job.body.id));
  },
});

const shutDownVm = defineCommand({
  name: "runner mng shutdown-vm",
  summary: "Have a runner's host power itself off.",
  details: `${details} The host's owner must allow it (mng-power-off).`,
  args: { runner },
  flags: { ...flags, yes: { summary: "Required: nothing here can start the host again." } },
  examples: [{ does: "Power a host off.", run: "svc runner mng shutdown-vm run_… --yes" }],
  run: async ({ args, flags: given, call, screen }) => {
    if (!given.yes)
      throw new UsageError("Nothing here can start the host again. To confirm, add --yes.");
    const params = { runner_id: args.runner };
    const job = await call(shutDownRunnerVmRoute, { params, body: bodyOf(given) });
    printItem(screen, job, jobDetails);
    screen.say(follow(job.body.id));
  },
});

/** Orders that go to the management process of a runner's host, as jobs. */
export const manageRunner: readonly Command[] = [restart, shutDown, shutDownVm];

import { createEmitterRoute } from "../../shared/api/emitters.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { type CommandCall, defineCommand } from "../command.ts";
import { withMember } from "../flags/json-object.ts";
import { readDurationNs, readWhole } from "../flags/read-flags.ts";
import { printItem } from "../output/print.ts";
import { readSignalText, signalTextFlags } from "../signals/signal-text.ts";
import { emitterDetails } from "./emitter-view.ts";
import { findScheduleQueue, jobFlags, readJobText } from "./job-of-emitter.ts";
import { readMode, readSchedule, scheduleFlags } from "./schedule-flags.ts";

export const createEmitter = defineCommand({
  name: "emitter create",
  summary: "Enqueue signals by a schedule; with --job, jobs of a runner.",
  details:
    "With --job and without --queue, the queue is the runner's own for schedules; it is created if it does not exist.",
  flags: {
    name: { value: "NAME", isRequired: true, summary: "Its name, unique in its queue." },
    description: { value: "TEXT", summary: "What it is for." },
    ...scheduleFlags,
    queue: { value: "QUEUE", offers: "queues", summary: "The queue that it enqueues into." },
    type: { value: "TYPE", summary: "The type of its signals." },
    ...signalTextFlags,
    ...jobFlags,
    "expires-in": { value: "DURATION", summary: "Its signals are not executed after this time." },
    "max-executions": { value: "N", summary: "Executions of a signal at most (default 3)." },
    "retry-delay": {
      value: "DURATION",
      summary: "Back-off after a failed execution, doubled each time (default 10s).",
    },
  },
  examples: [
    {
      does: "Run a job every night.",
      run: 'svc emitter create --name nightly --cron "30 2 * * *" --time-zone Europe/Berlin --runner run_… --job job.json',
    },
    {
      does: "Enqueue work for your own workers every 15 minutes.",
      run: 'svc emitter create --name sync --cron "*/15 * * * *" --queue que_… --type sync-install --signal \'{"install":"ins_1"}\'',
    },
    {
      does: "Do something once, at an instant.",
      run: "svc emitter create --name expiry --at 2027-01-31T18:00:00Z --queue que_… --type expire-role",
    },
  ],
  run: async ({ flags, call, runnerOf, screen }) => {
    const mode = readMode(flags);
    const signal = await readEmitted({ call, runnerOf }, flags);
    const body = {
      name: flags.name,
      description: flags.description,
      mode,
      ...readSchedule(flags),
      signal_type: signal.type,
      signal_expires_in: readDurationNs("--expires-in", flags["expires-in"]),
      max_executions: readWhole("--max-executions", flags["max-executions"]),
      retry_delay: readDurationNs("--retry-delay", flags["retry-delay"]),
    };
    const emitter = await call(createEmitterRoute, {
      params: { queue_id: signal.queueId },
      body,
      bodyText: withMember(JSON.stringify(body), "signal_template", signal.text),
    });
    printItem(screen, emitter, emitterDetails);
    screen.say(`See its next ticks: svc emitter next ${emitter.body.id}`);
  },
});

type Given = Parameters<typeof readSignalText>[0] & {
  readonly [Name in "queue" | "type" | "job" | "runner" | "job-type"]: string | undefined;
};

type Asking = Pick<CommandCall, "call" | "runnerOf">;

/** What each tick enqueues, and where. */
async function readEmitted({ call, runnerOf }: Asking, flags: Given) {
  const { queue, type, job } = flags;
  if (job === undefined) {
    if (queue === undefined || type === undefined) {
      throw new UsageError(
        "Say what to enqueue: --queue and --type, or --runner and --job for a job.",
      );
    }
    if (flags.runner !== undefined || flags["job-type"] !== undefined) {
      throw new UsageError("--runner and --job-type go with --job.");
    }
    return { queueId: queue, type, text: await readSignalText(flags) };
  }
  const data = flags.signal ?? flags["signal-file"];
  if (type !== undefined || data !== undefined) {
    throw new UsageError("--type, --signal and --signal-file cannot be used together with --job.");
  }
  const runner = await runnerOf(flags.runner);
  const text = await readJobText(job, runner, flags["job-type"]);
  return { queueId: queue ?? (await findScheduleQueue(call, runner)), type: "runner-job", text };
}

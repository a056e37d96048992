import { z } from "@hono/zod-openapi";
import { durationInput } from "./api/duration.ts";
import { newRunnerJobSchema } from "./api/enqueue-jobs.ts";
import { secondNs } from "./duration.ts";
import { lookTask } from "./look-task.ts";
import { mostEntries } from "./most-entries.ts";
import type { Permission } from "./permissions.ts";
import { planOutline } from "./plans/plan-names.ts";
import type { QueueTarget } from "./queue-acts.ts";
import { isReservedHeader, reservedHeaders } from "./reserved-headers.ts";
import { runnerJobGroups, runnerJobType } from "./runner-job-types.ts";
import { workflowTask } from "./workflow-task.ts";

/** How the turn of a signal is executed: workers claim it, a broker runs it, or it wakes a task and somebody else ends it. */
export const signalRuns = ["pull", "task", "hold"] as const;

/** What brokers and the API know of a type of signals. */
export type SignalType = {
  readonly runs: (typeof signalRuns)[number];
  /** The task of brokers that its turn wakes; none for `pull`. */
  readonly task?: string;
  /** What its `signal` must be. */
  readonly schema: z.ZodType<Readonly<Record<string, unknown>>>;
  /** What its turn does, for docs. */
  readonly summary: string;
  /** Nobody but brokers files it, and its emitters follow what they belong to. */
  readonly isInternal?: true;
  /** What a caller that files it must be allowed besides filing signals. */
  permissions?(signal: Readonly<Record<string, unknown>>): readonly Permission[];
  /** What its turn does with queues and emitters: who files it must be allowed to do that. */
  actsOn?(signal: Readonly<Record<string, unknown>>): readonly QueueTarget[];
  /** The runner whose jobs it makes or ends. */
  runnerOf?(signal: Readonly<Record<string, unknown>>): string | undefined;
  /** The URL that it calls, which is checked when it is filed. */
  calls?(signal: Readonly<Record<string, unknown>>): string;
  /** As much of it as these read, and as is valid, where the whole may be long. */
  outline?(signal: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
};

const id = (prefix: string): z.ZodString =>
  z.string().regex(new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`), {
    error: `Give an id that begins with ${prefix}_.`,
  });

const mostHeaders = 50;
const reserved = `The broker sets this header itself, or it belongs to the connection. Use any name but ${reservedHeaders.join(", ")}.`;
const longestCallNs = 120 * secondNs;

/** Not as a count in the pattern: Go's patterns count to 1000. */
const mostHeaderBytes = 4096;
const badValue = `Give up to ${mostHeaderBytes} ASCII characters.`;

/** An HTTP call, in a signal and in a callback. */
export const httpCallSchema = z
  .strictObject({
    url: z.url({ protocol: /^https?$/ }).max(2048),
    method: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]).default("POST"),
    headers: z
      .record(
        z.string().regex(/^[\w!#$%&'*+.^`|~-]{1,100}$/, { error: "This is no name of a header." }),
        z
          .string()
          .max(mostHeaderBytes, { error: badValue })
          .regex(/^[\x20-\x7e]*$/, { error: badValue }),
      )
      .check(mostEntries(mostHeaders, `At most ${mostHeaders} headers are allowed.`))
      .superRefine((headers, ctx) => {
        for (const name of Object.keys(headers).filter(isReservedHeader))
          ctx.addIssue({
            code: "custom",
            path: [name],
            params: { code: "reserved_header" },
            message: reserved,
          });
      })
      .optional(),
    body: z
      .union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())])
      .optional()
      .describe("A text is sent as it is, anything else as JSON."),
    secret: z.string().min(16).max(256).optional().describe("Signs the body."),
    timeout: durationInput({ minNs: secondNs, maxNs: longestCallNs }).optional(),
  })
  .refine(({ method, body }) => body === undefined || (method !== "GET" && method !== "HEAD"), {
    path: ["body"],
    error: "GET and HEAD have no body.",
  });

const runnerJobSignal = newRunnerJobSchema.safeExtend({
  runner_id: id("run"),
  wait_for: z.enum(["end", "enqueue"]).default("end"),
});
const emitterSignal = z.strictObject({ emitter_id: id("emt") });
const flushSignal = z.union([
  z.strictObject({ runner_id: id("run"), group: z.enum(runnerJobGroups).optional() }),
  z.strictObject({ queue_id: id("que") }),
]);

const refused = (error: string) => z.strictObject({}).refine(() => false, { error });

const ofWorkflows = { runs: "hold", task: workflowTask, isInternal: true } as const;
const byBroker = { runs: "task", task: "run-signal" } as const;

/** The types that brokers execute themselves. Every other name is a type of somebody's workers. */
export const signalTypes = {
  noop: { ...byBroker, schema: z.strictObject({}), summary: "Does nothing." },
  "runner-job": {
    ...byBroker,
    schema: runnerJobSignal,
    summary:
      "Enqueues a job for `runner_id`: the members of a new job, beside it. `wait_for` `end` (the default): the signal is in flight until the job has ended, and ends as the job did; `enqueue`: it is finished when the job is enqueued.",
    permissions: ({ type }: z.infer<typeof runnerJobSignal>) =>
      runnerJobType(type).ordersRunner === true
        ? ["jobs.write", "runners.operate"]
        : ["jobs.write"],
    runnerOf: ({ runner_id }: z.infer<typeof runnerJobSignal>) => runner_id,
    outline: ({ type, runner_id, plan }: z.infer<typeof runnerJobSignal>) => ({
      type,
      runner_id,
      ...(plan !== undefined && { plan: plan && planOutline(plan) }),
    }),
  },
  "http-call": {
    ...byBroker,
    schema: httpCallSchema,
    summary:
      "Calls `url` by `method` (default `POST`) with `headers` and `body`, signed with `secret`. `timeout`: 1s to 2m, by default 30s.",
    permissions: () => ["queues.write"],
    calls: ({ url }: z.infer<typeof httpCallSchema>) => url,
    outline: ({ url }: z.infer<typeof httpCallSchema>) => ({ url }),
  },
  "emitter-start": {
    ...byBroker,
    schema: emitterSignal,
    summary: "Resumes the emitter `emitter_id`.",
    actsOn: (on: z.infer<typeof emitterSignal>) => [{ act: "resume-emitter", on }],
  },
  "emitter-stop": {
    ...byBroker,
    schema: emitterSignal,
    summary: "Pauses the emitter `emitter_id`.",
    actsOn: (on: z.infer<typeof emitterSignal>) => [{ act: "pause-emitter", on }],
  },
  flush: {
    ...byBroker,
    schema: flushSignal,
    summary:
      "Ends the jobs that wait for `runner_id` (of one `group`, or of all) as not attempted; or cancels the signals that wait in `queue_id`.",
    permissions: (signal: z.infer<typeof flushSignal>) =>
      "queue_id" in signal ? [] : ["jobs.cancel"],
    actsOn: (signal: z.infer<typeof flushSignal>) =>
      "queue_id" in signal ? [{ act: "purge", on: signal }] : [],
    runnerOf: (signal: z.infer<typeof flushSignal>) =>
      "queue_id" in signal ? undefined : signal.runner_id,
  },
  workflow: {
    ...ofWorkflows,
    schema: refused(
      "Workflows file these themselves: create a workflow instead, such as a run of an action.",
    ),
    summary:
      "The place of a workflow in a lane of its install: it is held until the workflow has ended. Workflows alone file it.",
  },
  "action-run": {
    ...ofWorkflows,
    schema: refused("Installs file these themselves: give the action a trigger of type cron."),
    summary:
      "The tick of a cron trigger: its turn begins the run of an action, whose workflow has its place from then on. Emitters of installs alone file it.",
    permissions: () => ["installs.operate"],
  },
  "drift-run": {
    ...ofWorkflows,
    schema: refused("Installs file these themselves: give the component a drift_schedule."),
    summary:
      "The tick of a component's drift_schedule: its turn begins a look for drift, whose workflow has its place from then on. Emitters of installs alone file it.",
    permissions: () => ["installs.operate"],
  },
  "drift-run-sandbox": {
    ...ofWorkflows,
    schema: refused("Installs file these themselves: give the sandbox a drift_schedule."),
    summary:
      "The tick of the sandbox's drift_schedule: likewise. Emitters of installs alone file it.",
    permissions: () => ["installs.operate"],
  },
  "image-update": {
    runs: "hold",
    task: lookTask,
    isInternal: true,
    schema: refused("Apps file these themselves: give a component's image an update_policy."),
    summary:
      "The tick of an app whose components follow images: its turn has the org's runner look for newer ones. Emitters of apps alone file it.",
    permissions: () => ["builds.write"],
  },
} as const satisfies Readonly<Record<string, SignalType>>;

const workersType: SignalType = {
  runs: "pull",
  schema: z.record(z.string(), z.unknown()),
  summary: "Work for workers, who claim it.",
  outline: () => ({}),
};
const workersName = /^(?!svc\.)[a-z][a-z0-9._/-]{0,99}$/;

/** What a type may be called, in a sentence for callers. */
export const signalTypeNames = `Give a built-in type (${Object.keys(signalTypes).join(", ")}), or a name for your workers: a lower-case letter, then up to 99 of a-z 0-9 . _ / -, not beginning with svc.`;

/** The row of a type; undefined for what no type may be called. */
export function signalType(
  name: string,
  types: Readonly<Record<string, SignalType>> = signalTypes,
): SignalType | undefined {
  if (Object.hasOwn(types, name)) return types[name];
  return workersName.test(name) ? workersType : undefined;
}

/** As much of a signal's data as decides whether it may be filed. */
export const signalOutline = (
  type: string,
  signal: Readonly<Record<string, unknown>>,
): Record<string, unknown> => ({ ...(signalType(type)?.outline?.(signal) ?? signal) });

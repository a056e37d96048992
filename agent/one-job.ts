import { getRunnerJobRoute } from "../shared/api/read-runner-jobs.ts";
import type { AgentContext } from "./agent-context.ts";
import type { BrokerClient } from "./client/broker-client.ts";
import type { RedactionStream, Redactor } from "./logs/redactor.ts";
import type { RunningJobs } from "./running-jobs.ts";
import type { ShutdownState } from "./shutdown/shutdown-state.ts";

/** Options of an agent that runs one job and shows its output. */
export type OneJob = {
  /** How long to wait for a job; without a limit by default. */
  readonly waitMs: number | undefined;
  /** Gets the redacted output of the job as it arrives. */
  readonly onOutput: (text: Buffer) => void;
  /** Called with the job as soon as it is claimed. */
  readonly onJob: (jobId: string) => void;
  /** The job's final status at the broker; undefined when the broker does not answer. */
  readonly onEnd: (end: JobEnd | undefined) => void;
};

export type JobEnd = { readonly status: string; readonly description: string };

type Following = { readonly runningJobs: RunningJobs; readonly shutdown: ShutdownState };

const askWithinMs = 10_000;

/**
 * Shuts the agent down after its first job, or when none came in time. Returns a function that asks the broker how the
 * job ended.
 */
export function followOneJob(
  { runningJobs, shutdown }: Following,
  one: OneJob,
): (client: BrokerClient, runnerId: string) => Promise<void> {
  let jobId: string | undefined;
  const begin = (exit: "done" | "no-job", why: string): void =>
    shutdown.request({ urgency: "draining", exit, why });
  const giveUp = (): void => begin("no-job", "no job came in time");
  const timer = one.waitMs === undefined ? undefined : setTimeout(giveUp, one.waitMs).unref();
  runningJobs.onChange(() => {
    const [job] = runningJobs.all();
    if (job === undefined || jobId !== undefined) return;
    clearTimeout(timer);
    jobId = job.jobId;
    one.onJob(jobId);
    void job.done.then(() => begin("done", "its job has ended"));
  });
  return async (client, runner_id) => {
    clearTimeout(timer);
    if (jobId === undefined) return;
    const params = { runner_id, job_id: jobId };
    const how = { scope: "agent", giveUpAfterMs: askWithinMs } as const;
    const answer = await client.call(getRunnerJobRoute, { params }, how).catch(() => undefined);
    one.onEnd(
      answer && { status: answer.body.status, description: answer.body.status_description },
    );
  };
}

/** Opens logs that are also shown: the agent's own lines and the redacted output of children. */
export function withShownLog(
  open: AgentContext["openJobLog"],
  one: OneJob | undefined,
): AgentContext["openJobLog"] {
  if (one === undefined) return open;
  return async (spec, redactor) => {
    const shown = makeShown(one.onOutput);
    const log = await open(spec, showingOutput(redactor, shown));
    const said = new Set<string>();
    return {
      ...log,
      write(text, severity, step, key) {
        if (key === undefined || !said.has(key)) shown.line(redactor.redactText(text));
        if (key !== undefined) said.add(key);
        log.write(text, severity, step, key);
      },
    };
  };
}

type Shown = ReturnType<typeof makeShown>;

/** Lines of different sources are never joined. */
function makeShown(show: OneJob["onOutput"]) {
  let isWithinLine = false;
  const bytes = (text: Buffer): Buffer => {
    if (text.length > 0) show(text);
    if (text.length > 0) isWithinLine = text.at(-1) !== 0x0a;
    return text;
  };
  const endLine = (): void => {
    if (isWithinLine) bytes(Buffer.from("\n"));
  };
  const line = (text: string): void => {
    endLine();
    bytes(Buffer.from(`${text.replace(/\n$/, "")}\n`));
  };
  return { bytes, endLine, line };
}

/** Other redacted text, such as a step's name or the job's description, is not part of the log. */
function showingOutput(redactor: Redactor, shown: Shown): Redactor {
  return {
    ...redactor,
    stream(resume): RedactionStream {
      const stream = redactor.stream(resume);
      return {
        ...stream,
        push: (bytes) => shown.bytes(stream.push(bytes)),
        end() {
          const rest = shown.bytes(stream.end());
          shown.endLine();
          return rest;
        },
      };
    },
  };
}

import { getRunnerJobRoute } from "../shared/api/read-runner-jobs.ts";
import type { BrokerClient } from "./client/broker-client.ts";
import type { Departure } from "./going-down/departure.ts";
import type { JobHost } from "./jobs/job-host.ts";
import type { RedactionStream, Redactor } from "./logs/redactor.ts";
import type { Roster } from "./roster.ts";

/** Lets an agent do one job, and shows what comes of it. */
export type OneJob = {
  /** How long to wait for it; for ever, unless told. */
  readonly waitMs: number | undefined;
  /** What the job prints, without its secrets, as it comes. */
  readonly onOutput: (text: Buffer) => void;
  /** The job, as soon as the agent has it. */
  readonly onJob: (jobId: string) => void;
  /** How the broker says that it ended; undefined when it does not answer. */
  readonly onEnd: (end: JobEnd | undefined) => void;
};

export type JobEnd = { readonly status: string; readonly description: string };

type Following = { readonly roster: Roster; readonly departure: Departure };

const askWithinMs = 10_000;

/** Lets the agent go down after its first job, or when none came in time; answers how to learn the job's end. */
export function followOneJob(
  { roster, departure }: Following,
  one: OneJob,
): (client: BrokerClient, runnerId: string) => Promise<void> {
  let jobId: string | undefined;
  const begin = (exit: "done" | "no-job", why: string): void =>
    departure.begin({ urgency: "draining", exit, why, deadlineMs: performance.now() });
  const giveUp = (): void => begin("no-job", "no job came in time");
  const timer = one.waitMs === undefined ? undefined : setTimeout(giveUp, one.waitMs).unref();
  roster.onChange(() => {
    const [job] = roster.all();
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

/** Opens logs of which all that is let through is shown as well. */
export function withShownLog(
  open: JobHost["openJobLog"],
  one: OneJob | undefined,
): JobHost["openJobLog"] {
  if (one === undefined) return open;
  return (spec, redactor) => open(spec, showing(redactor, one.onOutput));
}

function showing(redactor: Redactor, show: OneJob["onOutput"]): Redactor {
  const shown = (bytes: Buffer): Buffer => {
    if (bytes.length > 0) show(bytes);
    return bytes;
  };
  return {
    ...redactor,
    redactText(text) {
      const clean = redactor.redactText(text);
      show(Buffer.from(`${clean.replace(/\n$/, "")}\n`));
      return clean;
    },
    stream(resume): RedactionStream {
      const stream = redactor.stream(resume);
      return {
        ...stream,
        push: (bytes) => shown(stream.push(bytes)),
        end: () => shown(stream.end()),
      };
    },
  };
}

import type { RunnerJob } from "../../../shared/api/runner-job.ts";
import { send } from "../broker/broker.ts";
import { givenToken } from "../rows/given-token.ts";
import type { CommandLine } from "./command-line.ts";

type Plan = Readonly<Record<string, unknown>>;
type Claimed = { jobs: { job: RunnerJob; execution: { id: string }; plan: Plan; token: string }[] };

/** What a job is answered with: the members of its finish. */
export type PlayedEnd = {
  readonly status: string;
  readonly result: object;
  readonly outputs?: object;
  /** The steps that are told before. */
  readonly steps?: readonly object[];
  /** What is waited for between these steps and the end. */
  readonly until?: () => Promise<void>;
};

export type PlayedRunner = {
  /** Takes the next job and ends it as told, one after the other; answers the job and its plan. */
  readonly next: (end: PlayedEnd) => Promise<{ job: RunnerJob; plan: Plan }>;
};

/** The command line's runner, played: it takes jobs over HTTP as an agent does, and does nothing. */
export async function playRunner({ db, url, runner }: CommandLine): Promise<PlayedRunner> {
  const token = await givenToken(db, runner);
  const at = `/v1/runners/${runner.runnerId}`;
  const made = await send<{ id: string }>(url, `POST ${at}/processes`, {
    token,
    body: { type: "install", version: "1", groups: { deploy: 1 } },
  });
  const claim = async (): Promise<Claimed["jobs"][number]> => {
    const body = {
      process_id: made.body.id,
      poll_id: crypto.randomUUID(),
      groups: { deploy: 1 },
      wait: "20s",
    };
    const [one] = (await send<Claimed>(url, `POST ${at}/jobs/claim`, { token, body })).body.jobs;
    return one ?? (await claim());
  };
  let turn: Promise<unknown> = Promise.resolve();
  const take = async ({
    steps = [],
    until,
    ...end
  }: PlayedEnd): ReturnType<PlayedRunner["next"]> => {
    const { job, execution, plan, token: own } = await claim();
    const path = `/v1/runner-jobs/${job.id}/executions/${execution.id}`;
    await send(url, `PATCH ${path}`, { token: own, body: { status: "in-progress" } });
    if (steps.length > 0) {
      await send(url, `POST ${path}/progress`, { token: own, body: { steps } });
    }
    await until?.();
    const finish = { token: own, body: { ...end, last_record: 0 } };
    const ended = await send(url, `POST ${path}/finish`, finish);
    if (ended.status !== 200) throw new Error(`no end: ${JSON.stringify(ended.body)}`);
    return { job, plan };
  };
  return {
    next: (end) => {
      const taken = turn.then(() => take(end)); // a claim ends the one of the same process before it
      turn = taken.catch(() => {});
      return taken;
    },
  };
}

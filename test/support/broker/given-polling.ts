import { afterEach, onTestFinished, vi } from "vitest";
import type { Db } from "../../../broker/database/connect.ts";
import type { RunnerJobGroup } from "../../../shared/runner-job-types.ts";
import { testDatabase } from "../database/database.ts";
import { expectSoundQueues } from "../database/expect-sound-queues.ts";
import { givenToken } from "../rows/given-token.ts";
import { type GivenRunner, givenJob, givenProcess, givenRunner } from "../rows/given.ts";
import { jobState } from "../rows/job-state.ts";
import { waitLimitMs } from "../run/hang-limits.ts";
import { startBroker, type TestBroker } from "./broker.ts";
import { type HttpAgent, httpAgent } from "./http-agent.ts";

export type Polling = {
  readonly db: Db;
  readonly url: string;
  readonly brokers: readonly [TestBroker, TestBroker];
};

/** Two brokers over one database, each of which hears the other. */
export async function givenPolling(): Promise<Polling> {
  const { db, url } = await testDatabase();
  const env = { SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "0" };
  const brokers = [await startBroker({ url, env }), await startBroker({ url, env })] as const;
  await untilListening(brokers);
  return { db, url, brokers };
}

/** The same for a whole test file; after each of its tests the queues' counters must match their jobs. */
export async function givenSoundPolling(): Promise<Polling> {
  const at = await givenPolling();
  afterEach(async () => {
    await expectSoundQueues(at.db);
  });
  return at;
}

export type PollingAgent = HttpAgent & { readonly token: string; readonly runner: GivenRunner };

/** An agent of ours with these slots, at one of the brokers; of a runner of its own unless told. */
export async function givenAgent(
  { db, brokers: [first] }: Polling,
  given: {
    readonly runner?: GivenRunner;
    readonly serves?: Partial<Record<RunnerJobGroup, number>>;
    readonly at?: TestBroker;
  } = {},
): Promise<PollingAgent> {
  const serves = given.serves ?? { deploy: 1 };
  const runner = given.runner ?? (await givenRunner(db, { parallelism: serves }));
  const processId = await givenProcess(db, runner, { serves });
  const token = await givenToken(db, runner);
  return { ...httpAgent((given.at ?? first).call, { ...runner, processId, token }), token, runner };
}

/** A job that nobody took for longer than it may be on offer, and that was withdrawn. */
export async function givenWithdrawn({ db }: Polling, runner: GivenRunner): Promise<string> {
  const jobId = await givenJob(db, runner);
  await db`
    update runner_job_live set status_at = status_at - interval '1 hour', deadline_at = deadline_at - interval '1 hour'
     where id = ${jobId}`;
  await until(async () => (await jobState(db, jobId)).status === "queued");
  return jobId;
}

/** Resolves when every broker hears what the others tell. */
export async function untilListening(brokers: readonly TestBroker[]): Promise<void> {
  for (const { broker } of brokers) {
    await until(async () =>
      (await broker.health.runChecks()).some(
        ({ name, fault }) => name === "listen" && fault === undefined,
      ),
    );
  }
}

/**
 * Until the test is over these brokers' polls are answered by wake-ups alone, or when their wait is over: what makes up
 * for a lost wake-up, a scan each second and a half and after each reconnection, is off.
 */
export async function withoutScans(brokers: readonly TestBroker[]): Promise<void> {
  await untilListening(brokers);
  for (const { broker } of brokers) {
    const scan = vi.spyOn(broker.polls, "scan").mockResolvedValue();
    onTestFinished(() => scan.mockRestore());
  }
}

/** Resolves when the claim of a process is parked at a broker. */
export async function parked({ broker }: TestBroker, processId: string): Promise<void> {
  await until(() => broker.polls.dispatcher.parked.ofProcess(processId) !== undefined);
}

/** Resolves when so many polls of a runner are parked at a broker. */
export async function parkedOf(
  { broker }: TestBroker,
  runnerId: string,
  count: number,
): Promise<void> {
  await until(() => broker.polls.dispatcher.parked.countOfRunner(runnerId) === count);
}

/** So far apart are the first looks, and so many times as far the last: most ask a broker, whose CPU others wait for. */
const turnMs = 10;
const mostTurns = 10;

/** Looks again and again, ever less often, until it is true; throws when it hangs. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const untrue = new Error("it did not become true in time");
  const look = async (): Promise<Error | undefined> => {
    try {
      return (await isTrue()) ? undefined : untrue;
    } catch (error) {
      return error as Error; // what it looks at may not be there yet
    }
  };
  let fault: Error | undefined = untrue;
  let turn = 0;
  let nextTurn = 0;
  let turns = 1;
  await vi.waitFor(
    async () => {
      turn += 1;
      if (turn < nextTurn) throw fault ?? untrue;
      turns = Math.min(turns * 1.1, mostTurns);
      nextTurn = turn + turns;
      fault = await look();
      if (fault !== undefined) throw fault;
    },
    { timeout: waitLimitMs, interval: turnMs },
  );
}

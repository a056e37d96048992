import { beforeAll, describe, expect, test } from "vitest";
import {
  type Fault,
  type FaultProxy,
  type Failing,
  faultProxy,
  faults,
} from "../support/fault-proxy.ts";
import { type Fleet, givenFleet, type Seat } from "../support/given-fleet.ts";
import { until } from "../support/given-polling.ts";
import { type HeldScript, heldScript } from "../support/held-script.ts";
import { startTestAgent, type TestAgent, testDataDir } from "../support/start-test-agent.ts";

const phases = ["idle", "running", "finishing"] as const;
type Phase = (typeof phases)[number];

/** The requests that go wrong. */
const requests = {
  claim: "POST /jobs/claim",
  start: "PATCH /executions/",
  result: "POST /finish",
  beat: "POST /heart-beats",
} as const;
type Request = keyof typeof requests;

/**
 * What comes of it. `unharmed`: every job finishes, once. `dropped`: the broker's word is obeyed, the job is let go, the
 * next ones finish. `gone`: the agent ends with 77, and the next one brings every job to one end.
 */
type Outcome = "unharmed" | "dropped" | "gone";

function outcomeOf(request: Request, fault: Fault): Outcome {
  if (fault === "401") return "gone";
  const isRefusal = fault === "404" || fault === "409" || fault === "410";
  return isRefusal && (request === "start" || request === "result") ? "dropped" : "unharmed";
}

const settings = {
  "claim-wait": "400ms",
  "request-timeout": "400ms",
  "cancel-timeout": "5s",
};

const patienceMs = 30_000;
const scenesAtOnce = 4;

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

type Scene = {
  readonly seat: Seat;
  readonly proxy: FaultProxy;
  readonly agent: TestAgent;
  readonly failing: Failing;
  readonly jobIds: string[];
  /** Ends the job that was running when it began to go wrong. */
  readonly release: () => Promise<void>;
};

/** An agent at work, and then one kind of request goes wrong. */
async function givenScene(phase: Phase, request: Request, fault: Fault): Promise<Scene> {
  const seat = await fleet.seat();
  await fleet.db`update runner_group_settings set heart_beat_timeout = 1e9
                  where runner_group_id = ${seat.runner.groupId}`;
  const proxy = await faultProxy(fleet.broker.url);
  const agent = await startTestAgent({ url: proxy.url, token: seat.token }, settings);
  const jobIds: string[] = [];
  let held: HeldScript | undefined;
  if (phase !== "idle") {
    held = heldScript(await testDataDir());
    const jobId = await seat.enqueue(held.job);
    jobIds.push(jobId);
    const status = async () => (await seat.job(jobId)).executions[0]?.status;
    await until(async () => (await status()) === "in-progress", patienceMs);
  }
  const failing = proxy.fail(requests[request], fault, fault === "hang" ? 1 : 2);
  if (phase === "finishing") await held?.release();
  jobIds.push(await seat.enqueue());
  await until(() => failing.hits() > 0, patienceMs);
  return { seat, proxy, agent, failing, jobIds, release: async () => await held?.release() };
}

async function playScene(phase: Phase, request: Request, fault: Fault): Promise<string> {
  const scene = await givenScene(phase, request, fault);
  const outcome = outcomeOf(request, fault);
  if (outcome === "gone") return await playGone(scene);
  if (outcome === "dropped") scene.failing.mend();
  await scene.release();
  scene.jobIds.push(await scene.seat.enqueue({ type: "noop-deploy" })); // a dropped job keeps its group's slot
  const dropped = outcome === "dropped" ? scene.failing.hits() : 0;
  await until(async () => {
    const jobs = await readJobs(scene);
    const finished = jobs.filter(({ status }) => status === "finished");
    return finished.length === jobs.length - dropped;
  }, patienceMs);
  await until(() => scene.agent.status().jobs.length === 0, patienceMs);
  return await fateOf(scene, dropped === 0 ? "unharmed" : "dropped");
}

async function playGone(scene: Scene): Promise<string> {
  const code = await scene.agent.gone;
  scene.proxy.mend();
  await scene.release();
  const { dataDir } = scene.agent;
  const given = { url: scene.proxy.url, token: scene.seat.token, dataDir };
  await startTestAgent(given, settings);
  await until(async () => (await readJobs(scene)).every(({ status }) => isEnd(status)), patienceMs);
  return await fateOf(scene, code === 77 ? "gone" : `exit ${code}`);
}

const isEnd = (status: string): boolean => /^(?:finished|failed|cancelled)$/.test(status);
const readJobs = async ({ seat, jobIds }: Scene) => await Promise.all(jobIds.map(seat.job));

/** The outcome, if every job was tried once and has at most one end. */
async function fateOf(scene: Scene, outcome: string): Promise<string> {
  const jobs = await readJobs(scene);
  // One that was given back was never tried.
  const isTried = ({ status }: { status: string }): boolean => status !== "not-attempted";
  const tries = jobs.map(({ executions }) => executions.filter(isTried).length);
  return tries.every((count) => count === 1) ? outcome : `${outcome}, tried ${tries.join(", ")}`;
}

describe.each(phases)("an agent that is %s", (phase) => {
  test.each(Object.keys(requests) as Request[])(
    "stands every fault of a %s",
    async (request) => {
      const waiting = [...faults];
      const played: Record<string, string> = {};
      const playOn = async (): Promise<void> => {
        for (let fault = waiting.shift(); fault !== undefined; fault = waiting.shift())
          played[fault] = await playScene(phase, request, fault).catch(
            (error: Error) => error.message,
          );
      };
      await Promise.all(Array.from({ length: scenesAtOnce }, playOn));
      const expected = faults.map((fault) => [fault, outcomeOf(request, fault)]);
      expect(played).toEqual(Object.fromEntries(expected));
    },
    180_000,
  );
});

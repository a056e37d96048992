import { beforeAll, describe, expect, test } from "vitest";
import { findMarked } from "../../agent/processes/sweep-marked.ts";
import { type SecretWord, secretWord } from "../support/agent/secret-word.ts";
import { startTestAgent, type TestAgent, testDataDir } from "../support/agent/start-test-agent.ts";
import { isBeginning, type TickingScript, tickingScript } from "../support/agent/ticking-script.ts";
import { type Fleet, givenFleet, type TestRunner } from "../support/broker/given-fleet.ts";
import { until } from "../support/broker/given-polling.ts";
import { storedRecords } from "../support/logs/otlp-logs.ts";
import {
  type Fault,
  type FaultProxy,
  type Failing,
  faultProxy,
  faults,
  type Matcher,
} from "../support/network/fault-proxy.ts";

const phases = ["idle", "running", "finishing"] as const;
type Phase = (typeof phases)[number];

/** The requests that go wrong. */
const requests = {
  claim: "POST /jobs/claim",
  start: ({ method, path, body }) =>
    method === "PATCH" && path.includes("/executions/") && !body.includes("cleaning-up"),
  log: "POST /logs",
  result: "POST /finish",
  beat: "POST /heart-beats",
} as const satisfies Record<string, Matcher>;
type Request = keyof typeof requests;
const requestNames = Object.keys(requests) as Request[];

/**
 * The faults that a request meets in a phase: a third of them. Each fault meets each request, each request and each
 * fault each phase; all three at once in every way is three times the work, and what comes of a fault is not a matter
 * of the phase.
 */
const faultsOf = (phase: Phase, request: Request): Fault[] =>
  faults.filter(
    (_, at) => (at + requestNames.indexOf(request)) % phases.length === phases.indexOf(phase),
  );

/**
 * What comes of it. `unharmed`: every job finishes, once, with its whole log. `dropped`: the broker's word is obeyed, the
 * job is let go, the next ones finish. `muted`: every job finishes, and the log that the broker refuses is cut. `gone`:
 * the agent ends with 77, and the next one brings every job to one end, and its whole log home.
 */
type Outcome = "unharmed" | "dropped" | "muted" | "gone";

function outcomeOf(request: Request, fault: Fault): Outcome {
  if (fault === "401") return "gone";
  if (fault !== "404" && fault !== "409" && fault !== "410") return "unharmed";
  if (request === "log") return "muted";
  return request === "start" || request === "result" ? "dropped" : "unharmed";
}

/** Only who hangs is given up soon: an answer that a busy machine brings late would be asked for, and counted, twice. */
const settingsOf = (fault: Fault) => ({
  "claim-wait": "400ms",
  "request-timeout": fault === "hang" ? "4s" : "20s",
  "cancel-timeout": "5s",
});

const scenesAtOnce = 4;

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

type Scene = {
  readonly runner: TestRunner;
  readonly proxy: FaultProxy;
  readonly agent: TestAgent;
  readonly failing: Failing;
  readonly jobIds: string[];
  /** What the script prints that runs when it begins to go wrong, or that is then enqueued. */
  readonly secret: SecretWord;
  readonly script: TickingScript & { readonly jobId: string };
  /** So many of its lines the broker had when it began to go wrong. */
  readonly hadLines: number;
};

/** An agent at work, and then one kind of request goes wrong. */
async function givenScene(phase: Phase, request: Request, fault: Fault): Promise<Scene> {
  const runner = await fleet.addRunner();
  await fleet.db`update runner_group_settings set heart_beat_timeout = 1e9
                  where runner_group_id = ${runner.groupId}`;
  const proxy = await faultProxy(fleet.broker.url);
  const agent = await startTestAgent({ url: proxy.url, token: runner.token }, settingsOf(fault));
  const secret = secretWord();
  const script = tickingScript(await testDataDir(), secret);
  const fail = (): Failing => proxy.fail(requests[request], fault, fault === "hang" ? 1 : 2);
  const early = phase === "idle" ? fail() : undefined;
  const jobId = await runner.enqueue(script.job);
  const jobIds = [jobId];
  if (phase !== "idle") {
    const status = async () => (await runner.job(jobId)).executions[0]?.status;
    await until(async () => (await status()) === "in-progress");
    await until(async () => (await storedOf(runner, jobId)).length > 0);
  }
  const hadLines = (await storedOf(runner, jobId)).length;
  const failing = early ?? fail();
  if (phase !== "running") await script.release();
  jobIds.push(await runner.enqueue());
  await until(() => failing.hits() > 0);
  const told = { ...script, jobId };
  return { runner, proxy, agent, failing, jobIds, secret, script: told, hadLines };
}

async function playScene(phase: Phase, request: Request, fault: Fault): Promise<string> {
  const scene = await givenScene(phase, request, fault);
  const outcome = outcomeOf(request, fault);
  if (outcome === "gone") return await playGone(scene, fault);
  if (outcome === "dropped") scene.failing.mend();
  await scene.script.release();
  scene.jobIds.push(await scene.runner.enqueue({ type: "noop-deploy" })); // a dropped job keeps its group's slot
  const dropped = outcome === "dropped" ? scene.failing.hits() : 0;
  await until(async () => {
    const jobs = await readJobs(scene);
    const finished = jobs.filter(({ status }) => status === "finished");
    return finished.length === jobs.length - dropped;
  });
  await until(() => scene.agent.status().jobs.length === 0);
  return await fateOf(scene, dropped === 0 ? outcome : "dropped");
}

async function playGone(scene: Scene, fault: Fault): Promise<string> {
  const code = await scene.agent.gone;
  scene.proxy.mend();
  await scene.script.release();
  const { dataDir, logged } = scene.agent;
  const given = { url: scene.proxy.url, token: scene.runner.token, dataDir };
  const agent = await startTestAgent(given, settingsOf(fault));
  await until(async () => (await readJobs(scene)).every(({ status }) => isEnd(status)));
  await until(() => isAtRest(agent));
  const next = { ...scene, agent: { ...agent, logged: [...logged, ...agent.logged] } };
  return await fateOf(next, code === 77 ? "gone" : `exit ${code}`);
}

function isAtRest({ status }: TestAgent): boolean {
  const { jobs, waiting } = status();
  return jobs.length === 0 && waiting.results === 0 && waiting.log_bytes === 0;
}

const isEnd = (status: string): boolean => /^(?:finished|failed|cancelled)$/.test(status);
const readJobs = async ({ runner, jobIds }: Scene) => await Promise.all(jobIds.map(runner.job));

/** The outcome, if nothing that always holds is broken; else what is. */
async function fateOf(scene: Scene, outcome: string): Promise<string> {
  const broken = [
    ...(await wrongTries(scene)),
    ...(await wrongLog(scene, outcome)),
    ...(await survivors(scene)),
    ...(await betrayals(scene)),
  ];
  return [outcome, ...broken].join("; ");
}

/** Every job is tried once: one that was given back was never tried. */
async function wrongTries(scene: Scene): Promise<string[]> {
  const isTried = ({ status }: { status: string }): boolean => status !== "not-attempted";
  const jobs = await readJobs(scene);
  const tries = jobs.map(({ executions }) => executions.filter(isTried).length);
  return tries.every((count) => count === 1) ? [] : [`tried ${tries.join(", ")}`];
}

/**
 * The broker has each line of the script's once, in order, redacted; of a muted one some of them. One that was stopped
 * with its agent printed nobody knows how many.
 */
async function wrongLog({ runner, script, hadLines }: Scene, outcome: string): Promise<string[]> {
  const printed = await script.printed();
  const read = async (): Promise<string[]> => await storedOf(runner, script.jobId);
  if (printed === undefined) {
    if (outcome !== "dropped" && outcome !== "gone") return ["the script did not end"];
    const stored = await read();
    return isBeginning(stored) && stored.length >= hadLines
      ? []
      : [`stopped, its log is ${stored.join()}`];
  }
  if (outcome === "muted") {
    const stored = await read();
    const isPart = stored.every((line, at) => line === printed[at]);
    const isCut = stored.length >= hadLines && stored.length < printed.length;
    return isPart && isCut ? [] : [`muted, yet its log is ${stored.join(",")}`];
  }
  const isThere = async (): Promise<boolean> => (await read()).length >= printed.length;
  await until(isThere).catch(() => {}); // what is there is told
  const stored = await read();
  return stored.join() === printed.join()
    ? []
    : [`printed ${printed.join()}, stored ${stored.join()}`];
}

/** What the broker has of what a script printed. */
async function storedOf({ orgId }: TestRunner, jobId: string): Promise<string[]> {
  const records = await storedRecords(fleet.db, orgId, `lgs_${jobId.slice(4)}`);
  return records.map(({ body }) => body).filter((body) => /^(?:tick|done|\*)/.test(body));
}

async function survivors(scene: Scene): Promise<string[]> {
  const executions = (await readJobs(scene)).flatMap((job) => job.executions);
  const found = await Promise.all(executions.map(async ({ id }) => await findMarked(id)));
  return found.flat().map(({ pid }) => `process ${pid} survives`);
}

async function betrayals({ secret, proxy, agent }: Scene): Promise<string[]> {
  const places = [...secret.onWire(proxy.seen()), ...(await secret.onDisk(agent.dataDir))];
  if (secret.isIn(agent.logged.join("\n"))) places.push("the agent's own log");
  return places.map((place) => `the secret is in ${place}`);
}

describe.each(phases)("an agent that is %s", (phase) => {
  test.each(requestNames)("stands its third of the faults of a %s", async (request) => {
    const met = faultsOf(phase, request);
    const waiting = [...met];
    const played: Record<string, string> = {};
    const playOn = async (): Promise<void> => {
      for (let fault = waiting.shift(); fault !== undefined; fault = waiting.shift())
        played[fault] = await playScene(phase, request, fault).catch(
          (error: Error) => error.message,
        );
    };
    await Promise.all(Array.from({ length: scenesAtOnce }, playOn));
    const expected = met.map((fault) => [fault, outcomeOf(request, fault)]);
    expect(played).toEqual(Object.fromEntries(expected));
  });
});

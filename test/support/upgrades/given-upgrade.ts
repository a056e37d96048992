import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished } from "vitest";
import { type AgentProcess, startAgentProcess } from "../agent/start-agent-process.ts";
import { testDataDir } from "../agent/start-test-agent.ts";
import { type BrokerProcess, startBrokerProcess } from "../broker/broker-process.ts";
import { send } from "../broker/broker.ts";
import type { SeenJob } from "../broker/given-fleet.ts";
import { until } from "../broker/given-polling.ts";
import { testSealKeys } from "../broker/seal-keys.ts";
import { cloneOf, emptyDatabase, type TestDatabase } from "../database/database.ts";
import { readLog } from "../logs/read-log.ts";
import { compileCache } from "../programs/present-programs.ts";
import { testFolder } from "../run/folder.ts";
import type { Build } from "./kept-builds.ts";

const run = promisify(execFile);
/** What agents log when they work: today, and builds of before. */
const started: readonly string[] = ["agent started", "the agent works"];

/** An org and a runner over builds of any age, touched by their own programs and by HTTP alone. */
export type Upgrade = {
  readonly databaseUrl: string;
  readonly url: string;
  readonly runnerId: string;
  /** Runs a build's own command line on the database. */
  readonly svc: (build: Build, ...args: readonly string[]) => Promise<string>;
  /** One more broker of a build over the same database. */
  readonly broker: (
    build: Build,
    settings?: Readonly<Record<string, string>>,
  ) => Promise<BrokerProcess>;
  /** A host for an agent of the runner, or of another whose token and mode are given. */
  readonly host: (of?: Serving) => Promise<Host>;
  /** One more runner of the org, in a group of its own. */
  readonly runner: (group: RunnerGroup) => Promise<{ runnerId: string; token: string }>;
  readonly enqueue: (steps: readonly object[], url?: string) => Promise<string>;
  /** At the first broker, unless told another's URL. */
  readonly call: <T>(what: string, body?: unknown, url?: string) => Promise<T>;
  readonly job: (id: string) => Promise<SeenJob>;
  readonly became: (id: string, status: string) => Promise<SeenJob>;
  readonly logOf: (id: string) => Promise<string[]>;
};

/** A host whose agent is replaced. */
export type Host = {
  readonly mark: string;
  readonly start: (build: Build, url?: string) => Promise<AgentProcess>;
};

/** A database that the build has migrated, with a broker of that build over it. */
export async function givenUpgrade(from: Build): Promise<Upgrade> {
  const { database, admin } = await (origins.get(from.name) ?? makeOrigin(from));
  const { url: databaseUrl } = await cloneOf(database);
  const broker: Upgrade["broker"] = async (build, settings = {}) => {
    const program = { main: build.svc, args: ["broker"], settings };
    const started = await startBrokerProcess(databaseUrl, program);
    onTestFinished(async () => await started.kill());
    return started;
  };
  const { url } = await broker(from);
  const call: Upgrade["call"] = async <T>(what: string, body?: unknown, at = url): Promise<T> => {
    const answer = await send<T>(at, what, { token: admin, body });
    if (answer.status >= 300) throw new Error(`${what}: ${JSON.stringify(answer)}`);
    return answer.body;
  };
  const { runnerId, token } = await makeRunner(call, { type: "install", platform: "aws" });
  const job = (id: string) => call<SeenJob>(`GET /v1/runner-jobs/${id}`);
  return {
    databaseUrl,
    url,
    runnerId,
    svc: async (build, ...args) => await runSvc(databaseUrl, build, args),
    broker,
    call,
    job,
    host: (of = { token, mode: "install" }) => makeHost(url, of),
    runner: (group) => makeRunner(call, group),
    async enqueue(steps, at = url) {
      const body = { type: "actions-workflow", operation: "exec", owner_id: "o", owner_type: "t" };
      const what = `POST /v1/runners/${runnerId}/jobs`;
      const answer = await send<{ id: string }>(at, what, {
        token: admin,
        body: { ...body, plan: { steps } },
      });
      expect(answer).toMatchObject({ status: 201 });
      return answer.body.id;
    },
    async became(id, status) {
      const read = async (): Promise<string> => (await job(id)).status;
      await expect.poll(read, { interval: 50 }).toBe(status);
      return await job(id);
    },
    logOf: async (id) => await readLog(call, id),
  };
}

type Origin = { readonly database: TestDatabase; readonly admin: string | undefined };

/** What builds have made in this file, by their names: each migrates once, and every scene has a clone. */
const origins = new Map<string, Promise<Origin>>();

async function makeOrigin(build: Build): Promise<Origin> {
  const making = async (): Promise<Origin> => {
    const database = await emptyDatabase();
    await runSvc(database.url, build, ["migrate", "up"]);
    const told = await runSvc(database.url, build, ["token", "create", "--new-org", "Acme"]);
    return { database, admin: /svc_\w+/.exec(told)?.[0] };
  };
  const made = making();
  origins.set(build.name, made);
  return await made;
}

async function runSvc(url: string, { svc }: Build, args: readonly string[]): Promise<string> {
  const env = { PATH: process.env["PATH"], HOME: "/nonexistent", DATABASE_URL: url };
  const how = { env: { ...env, NODE_COMPILE_CACHE: compileCache, SVC_SEAL_KEYS: testSealKeys } };
  return (await run(process.execPath, [svc, ...args], how)).stdout;
}

type RunnerGroup = { readonly type: string; readonly platform: string };

async function makeRunner(call: Upgrade["call"], { type, platform }: RunnerGroup) {
  const group = await call<{ id: string }>("POST /v1/runner-groups", { type, platform });
  const { id: runnerId } = await call<{ id: string }>("POST /v1/runners", {
    name: type,
    runner_group_id: group.id,
  });
  const { secret } = await call<{ secret: string }>("POST /v1/tokens", {
    name: "agent",
    kind: "rt",
    runner_id: runnerId,
  });
  return { runnerId, token: secret };
}

type Serving = { readonly token: string; readonly mode: string };

async function makeHost(url: string, { token, mode }: Serving): Promise<Host> {
  const dataDir = await testDataDir();
  const runDir = await testFolder(0o700);
  return {
    mark: path.join(await testFolder(0o777), "go"),
    start: async (build, at = url) => {
      const agent = await startAgentProcess({
        url: at,
        env: { SVC_AGENT_TOKEN: token },
        dataDir,
        settings: { "run-dir": runDir, mode },
        command: [process.execPath, build.agent],
      });
      const works = () => agent.said.log.some(({ msg }) => started.includes(String(msg)));
      await until(works).catch(() => {
        throw new Error(`${build.name}: ${agent.said.err}${JSON.stringify(agent.said.log.at(-1))}`);
      });
      return agent;
    },
  };
}

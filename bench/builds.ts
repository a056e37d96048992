import { rm } from "node:fs/promises";
import type { ComponentBuild } from "../shared/api/builds.ts";
import type { WholeWorkflow } from "../shared/api/workflow.ts";
import type { Call } from "../test/support/broker/broker.ts";
import { httpAgent } from "../test/support/broker/http-agent.ts";
import { givenToken } from "../test/support/rows/given-token.ts";
import { givenOrg, givenProcess, givenRunner } from "../test/support/rows/given.ts";
import { type BenchApi, benchApi, sendTo } from "./support/bench-api.ts";
import type { Bench } from "./support/bench.ts";
import { quantile } from "./support/figures.ts";
import {
  buildingFlags,
  givenOrgRunner,
  givenSource,
  startBenchRegistry,
} from "./support/given-builders.ts";
import { agentProgram, startLoneAgent } from "./support/lone-agent.ts";
import { type Stage, withStage } from "./support/stage.ts";

const atOnce = 50;

/** What a build costs beside its job: one that changes nothing by a real agent, and many at once beside another org. */
export const builds: Bench = {
  what: "a build that changes nothing, by an agent; 50 builds at once beside another org's requests; needs `npm run tools`",
  run: async ({ seconds, warmUpS }, tell) => {
    await withStage(async (stage) => {
      const registry = await startBenchRegistry();
      const settings = { SVC_REGISTRY: `http://${registry.host}/acme` };
      const { url } = await stage.startBroker({
        ...settings,
        SVC_RATE_TOKEN_PER_S: "0",
        SVC_RATE_ORG_PER_S: "0",
      });
      const { took, jobs } = await unchanged(stage, url, { seconds, warmUpS });
      tell({
        figure: "a build that changes nothing, from request to end, p50",
        value: quantile(took, 0.5),
        unit: "ms",
        note: `${took.length} times; its job alone ${quantile(jobs, 0.5).toFixed(0)} ms`,
        target: { atMost: 200 },
      });
      const { alone, beside, ms } = await manyBeside(stage, url, seconds);
      const note = `p95 ${quantile(alone, 0.95).toFixed(1)} ms without them; ${atOnce} builds took ${quantile(ms, 0.5).toFixed(0)} ms`;
      tell({
        figure: `another org's read beside ${atOnce} builds at once, p95`,
        value: quantile(beside, 0.95),
        unit: "ms",
        note,
        target: { atMost: 100 },
      });
      await registry.end();
    });
  },
};

type Times = { readonly seconds: number; readonly warmUpS: number };

/** A module is built once, then again and again by an agent that finds nothing new. */
async function unchanged(stage: Stage, url: string, { seconds, warmUpS }: Times) {
  const orgId = await givenOrg(stage.db);
  const api = benchApi(url, await givenToken(stage.db, { orgId, role: "org_admin" }));
  const source = await givenSource({ "main.tf": 'output "a" {\n  value = 1\n}\n' });
  const app = await givenApp(api, { db: `file://${source}` });
  const runner = await givenOrgRunner(api);
  const { program } = agentProgram();
  const of = { ...runner, processId: "" };
  const agent = await startLoneAgent({ url, program }, of, buildingFlags);
  const build = async (): Promise<{ took: number; job: number }> => {
    const startMs = performance.now();
    const [begun] = await api<ComponentBuild[]>(`POST /v1/apps/${app}/components/build-all`, {});
    await ended(api, begun?.workflow_id ?? "");
    const took = performance.now() - startMs;
    const one = await api<ComponentBuild>(`GET /v1/builds/${begun?.id ?? ""}`);
    if (one.status !== "active") throw new Error(JSON.stringify(one.composite_error));
    const [job] = await api<{ started_at: string; finished_at: string }[]>(
      `GET /v1/runners/${runner.runnerId}/jobs?limit=1`,
    );
    return { took, job: Date.parse(job?.finished_at ?? "") - Date.parse(job?.started_at ?? "") };
  };
  await build(); // makes it
  const untilWarmMs = performance.now() + warmUpS * 1000;
  while (performance.now() < untilWarmMs) await build();
  const [took, jobs] = [[] as number[], [] as number[]];
  const untilMs = performance.now() + seconds * 1000;
  while (performance.now() < untilMs) {
    const one = await build();
    took.push(one.took);
    jobs.push(one.job);
  }
  await agent.end();
  await rm(source, { recursive: true });
  return { took, jobs };
}

/** An org whose fifty components are built at once, again and again, and another one that reads meanwhile, and without. */
async function manyBeside({ db }: Stage, url: string, seconds: number) {
  const [loud, quiet] = [await givenOrg(db), await givenOrg(db)];
  const api = benchApi(url, await givenToken(db, { orgId: loud, role: "org_admin" }));
  const names = Array.from({ length: atOnce }, (_, n) => [
    `part-${n}`,
    "https://git.example.com/x",
  ]);
  const app = await givenApp(api, Object.fromEntries(names) as Record<string, string>);
  const stop = await givenAnswerer(db, url, loud);
  const other = benchApi(url, await givenToken(db, { orgId: quiet, role: "org_admin" }));
  await other("POST /v1/apps", { name: "quiet" });
  const alone = await listen(other, performance.now() + seconds * 1000, () => false);
  const ms: number[] = [];
  let isOver = false;
  const storm = async (): Promise<void> => {
    const untilMs = performance.now() + seconds * 1000;
    while (performance.now() < untilMs) {
      const startMs = performance.now();
      const [begun] = await api<ComponentBuild[]>(`POST /v1/apps/${app}/components/build-all`, {});
      await ended(api, begun?.workflow_id ?? "");
      ms.push(performance.now() - startMs);
    }
    isOver = true;
  };
  const [beside] = await Promise.all([listen(other, Infinity, () => isOver), storm()]);
  stop();
  return { alone, beside, ms };
}

async function listen(api: BenchApi, untilMs: number, isOver: () => boolean): Promise<number[]> {
  const times: number[] = [];
  while (performance.now() < untilMs && !isOver()) {
    const startMs = performance.now();
    await api("GET /v1/apps");
    times.push(performance.now() - startMs);
  }
  return times;
}

/** An app of modules, by the repositories that they come from. */
async function givenApp(api: BenchApi, sources: Readonly<Record<string, string>>): Promise<string> {
  const { id } = await api<{ id: string }>("POST /v1/apps", { name: "bench" });
  const components = Object.entries(sources).map(([name, repo]) => {
    const public_repo = { repo, directory: ".", branch: "main" };
    return [`${name}.toml`, { name, type: "terraform_module", public_repo }] as const;
  });
  await api(`POST /v1/apps/${id}/configs/sync`, {
    "metadata.toml": { name: "bench" },
    components: Object.fromEntries(components),
  });
  return id;
}

/** The org's own runner, which ends each job of a build at once. */
async function givenAnswerer(
  db: Stage["db"],
  url: string,
  orgId: Awaited<ReturnType<typeof givenOrg>>,
) {
  const slots = { build: atOnce };
  const runner = await givenRunner(db, { orgId, parallelism: slots });
  await db`update runner_groups set type = 'org', owner_type = 'org' where id = ${runner.groupId}`;
  const processId = await givenProcess(db, runner, { serves: slots });
  const token = await givenToken(db, runner);
  const call = <Body>(what: string, request?: Call) => sendTo<Body>(url, what, request);
  const agent = httpAgent(call, { ...runner, processId, token });
  const stopped = new AbortController();
  void work();
  return () => stopped.abort();

  async function work(): Promise<void> {
    while (!stopped.signal.aborted) {
      const answer = await agent.claim({ groups: slots, wait: "5s" }).catch(() => undefined);
      if (answer?.status !== 200) return;
      for (const { job, execution } of answer.body.jobs) {
        await call(`POST /v1/runner-jobs/${job.id}/executions/${execution.id}/finish`, {
          token,
          body: { status: "finished", last_record: 0, result: { success: true }, outputs: made },
        });
      }
    }
  }
}

const made = {
  digest: `sha256:${"a".repeat(64)}`,
  media_type: "application/vnd.oci.image.manifest.v1+json",
  size: 1234,
  source_ref: "0".repeat(40),
  source_checksum: `sha256:${"b".repeat(64)}`,
  builder: "bench/1",
};

async function ended(api: BenchApi, id: string): Promise<void> {
  for (;;) {
    const { finished, status } = await api<WholeWorkflow>(`GET /v1/workflows/${id}/await?wait=25s`);
    if (finished && status.status !== "success") throw new Error(`${id} is ${status.status}`);
    if (finished) return;
  }
}

import { randomBytes } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { terraformInput } from "../shared/policies/inputs/terraform-input.ts";
import { judgePolicies } from "../shared/policies/judge-policies.ts";
import { makeOpa } from "../shared/policies/opa.ts";
import { givenToken } from "../test/support/rows/given-token.ts";
import { givenOrg } from "../test/support/rows/given.ts";
import { tool } from "../test/tools/find-tool.ts";
import { type BenchApi, benchApi } from "./support/bench-api.ts";
import type { Bench, Tell } from "./support/bench.ts";
import { quantile } from "./support/figures.ts";
import {
  benchFolder,
  buildingFlags,
  givenOrgRunner,
  givenSource,
  run,
  startBenchRegistry,
} from "./support/given-builders.ts";
import { agentProgram, type LoneAgent, startLoneAgent } from "./support/lone-agent.ts";
import { residentBytes, resetPeak } from "./support/process-memory.ts";
import { withStage } from "./support/stage.ts";

const layers = 5;
const layerBytes = 100 * 1024 * 1024;
const files = 2_000;
const resources = 500;
const rounds = 5;

/** What jobs that carry artifacts add to the tools that people would use by hand. */
export const artifacts: Bench = {
  what: "an image of 500 MB copied by a job and by crane, a module of 2,000 files built by a job and by hand, OPA's verdict on 500 resources; needs `npm run tools`",
  run: async ({ scale }, tell) => {
    await withStage(async ({ db, startBroker }) => {
      const { url } = await startBroker();
      const orgId = await givenOrg(db);
      const api = benchApi(url, await givenToken(db, { orgId, role: "org_admin" }));
      const { runnerId, token } = await givenOrgRunner(api);
      const { program } = agentProgram();
      const of = { runnerId, token, processId: "" };
      process.env["PATH"] = [path.dirname(tool("terraform")), process.env["PATH"]].join(":");
      const agent = await startLoneAgent({ url, program }, of, buildingFlags);
      const [one, other] = [await startBenchRegistry(), await startBenchRegistry()];
      const ground: Ground = { api, runnerId, agent, from: one.host, to: other.host };
      await copies(ground, scale, tell);
      await modules(ground, scale, tell);
      await agent.end();
      for (const registry of [one, other]) await registry.end();
    });
    await verdicts(tell);
  },
};

type Ground = {
  readonly api: BenchApi;
  readonly runnerId: string;
  readonly agent: LoneAgent;
  /** Two registries. */
  readonly from: string;
  readonly to: string;
};

async function runJob({ api, runnerId }: Ground, type: string, plan: object): Promise<void> {
  const body = { type, operation: "exec", plan };
  const { id } = await api<{ id: string }>(`POST /v1/runners/${runnerId}/jobs`, body);
  for (;;) {
    const job = await api<{ status: string; status_description: string }>(
      `GET /v1/runner-jobs/${id}/wait?wait=25s`,
    );
    if (job.status === "finished") return;
    if (["failed", "timed-out", "cancelled"].includes(job.status))
      throw new Error(job.status_description);
  }
}

/** The same in turns: what a job takes, and what a person takes, after a round of each that is not counted. */
async function inTurns(job: (n: number) => Promise<void>, hand: (n: number) => Promise<void>) {
  const [jobs, hands, ratios] = [[] as number[], [] as number[], [] as number[]];
  for (let round = 0; round <= rounds; round++) {
    const took = new Map<typeof job, number>();
    for (const act of round % 2 === 0 ? [job, hand] : [hand, job]) {
      const startMs = performance.now();
      await act(round);
      took.set(act, performance.now() - startMs);
    }
    if (round === 0) continue;
    const [byJob = 0, byHand = 0] = [took.get(job), took.get(hand)];
    jobs.push(byJob);
    hands.push(byHand);
    ratios.push(byJob / byHand);
  }
  const note = `${quantile(jobs, 0.5).toFixed(0)} ms ÷ ${quantile(hands, 0.5).toFixed(0)} ms, ${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)} in ${rounds} rounds`;
  return { ratio: quantile(ratios, 0.5), note };
}

async function copies(ground: Ground, scale: number, tell: Tell): Promise<void> {
  const { agent, from, to } = ground;
  const bytes = Math.round(layerBytes * scale);
  await pushImage(from, bytes);
  const registry = (loginServer: string, repository: string) => ({
    loginServer,
    repository,
    registryType: "public_oci",
    plain_http: true,
  });
  const job = async (n: number) =>
    await runJob(ground, "oci-sync", {
      sync_oci: {
        src_registry: registry(from, "big"),
        src_tag: "1",
        dst_registry: registry(to, `by-job-${n}`),
        dst_tag: "1",
      },
    });
  const hand = async (n: number) =>
    void (await run(tool("crane"), [
      "copy",
      "--insecure",
      `${from}/big:1`,
      `${to}/by-hand-${n}:1`,
    ]));
  const before = residentBytes(agent.pid);
  resetPeak(agent.pid);
  const { ratio, note } = await inTurns(job, hand);
  const grown = (residentBytes(agent.pid, "VmHWM") - before) / 1024 / 1024;
  const what = `${layers} layers of ${(bytes / 1024 / 1024).toFixed(0)} MiB`;
  tell({
    figure: "speed of oci-sync ÷ crane copy",
    value: 1 / ratio,
    unit: "×",
    note: `${what}; ${note}`,
    target: { atLeast: 0.7 },
  });
  tell({
    figure: "oci-sync: growth of the agent",
    value: grown,
    unit: "MiB",
    note: "its peak meanwhile; its child processes aside",
    target: { atMost: 50 },
  });
}

/** An image of layers that nothing can compress. */
async function pushImage(host: string, bytes: number): Promise<void> {
  const folder = await benchFolder();
  const archives: string[] = [];
  for (let n = 0; n < layers; n++) {
    const part = path.join(folder, `part-${n}`);
    await mkdir(part);
    await writeFile(path.join(part, "data"), randomBytes(bytes));
    const archive = path.join(folder, `${n}.tar`);
    await run("tar", ["-cf", archive, "-C", part, "data"]);
    archives.push(archive);
  }
  const added = archives.flatMap((archive) => ["-f", archive]);
  await run(tool("crane"), ["append", "--insecure", ...added, "-t", `${host}/big:1`]);
  await rm(folder, { recursive: true });
}

async function modules(ground: Ground, scale: number, tell: Tell): Promise<void> {
  const { to } = ground;
  const count = Math.round(files * scale);
  const texts = Array.from({ length: count }, (_, n) => [
    `files/${n % 50}/${n}.txt`,
    `${n}\n`.repeat(200),
  ]);
  const all = Object.fromEntries(texts) as Record<string, string>;
  const source = await givenSource({ ...all, "main.tf": 'output "a" {\n  value = 1\n}\n' });
  const job = async (n: number) =>
    await runJob(ground, "terraform-module-build", {
      component_id: "cmp_1",
      component_build_id: "bld_1",
      git_source: { url: `file://${source}` },
      dst_registry: {
        loginServer: to,
        repository: "module-by-job",
        registryType: "public_oci",
        plain_http: true,
      },
      dst_tag: `t${n}`,
    });
  const hand = async (n: number) => {
    const folder = await benchFolder();
    const module = path.join(folder, "module");
    await run("git", ["clone", "-q", `file://${source}`, module]);
    for (const args of [["init", "-backend=false", "-input=false"], ["validate"]])
      await run(tool("terraform"), args, { cwd: module });
    await run("tar", [
      "--exclude=.git",
      "-czf",
      path.join(folder, "module.tar.gz"),
      "-C",
      module,
      ".",
    ]);
    const pushed = ["push", "--plain-http", `${to}/module-by-hand:t${n}`, "module.tar.gz"];
    await run(tool("oras"), pushed, { cwd: folder });
    await rm(folder, { recursive: true });
  };
  const { ratio, note } = await inTurns(job, hand);
  tell({
    figure: `a module of ${count} files as a job ÷ clone, init, validate, tar and oras push`,
    value: ratio,
    unit: "×",
    note,
    target: { atMost: 1.5 },
  });
  await rm(source, { recursive: true });
}

const rego = `package svc
import rego.v1

deny contains msg if {
  some change in input.plan.resource_changes
  change.change.after.bucket == ""
  msg := sprintf("%s has no bucket", [change.address])
}
`;

async function verdicts(tell: Tell): Promise<void> {
  const opa = makeOpa(tool("opa"));
  const changes = Array.from({ length: resources }, (_, n) => ({
    address: `aws_s3_bucket.b${n}`,
    type: "aws_s3_bucket",
    change: { actions: ["create"], before: null, after: { bucket: `b${n}`, tags: { n: `${n}` } } },
  }));
  const { inputs } = terraformInput({ resource_changes: changes }, "bench");
  const policy = { id: "pol_1", name: "buckets", contents: rego, root: "svc" };
  const took: number[] = [];
  for (let n = 0; n < 25; n++) {
    const startMs = performance.now();
    const { status } = await judgePolicies(opa, [policy], inputs);
    if (status !== "pass") throw new Error(`the verdict is ${status}`);
    if (n >= 5) took.push(performance.now() - startMs);
  }
  tell({
    figure: `OPA's verdict on a plan of ${resources} resources, p50`,
    value: quantile(took, 0.5),
    unit: "ms",
    note: `${took.length} times`,
    target: { atMost: 150 },
  });
}

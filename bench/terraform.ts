import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { type Connection, openConnection, requestText } from "./http-client.ts";
import type { Bench, Tell } from "./support/bench.ts";
import { quantile } from "./support/figures.ts";
import { givenFleet } from "./support/given-fleet.ts";
import {
  agentProgram,
  enqueue,
  startLoneAgent,
  type Timing,
  waitFor,
} from "./support/lone-agent.ts";
import { withStage } from "./support/stage.ts";

const run = promisify(execFile);
const resources = 10;
const program = "terraform";

type Ground = {
  readonly connection: Connection;
  readonly timing: Timing;
  readonly folder: string;
  readonly archive: string;
  readonly env: Readonly<Record<string, string>>;
  readonly workspaceId: string;
};
type Took = Record<"jobPlan" | "jobApply" | "handPlan" | "handApply", number[]>;

/** What a plan and an apply of ten resources take as jobs, against terraform by hand and the same backend, in turns. */
export const terraform: Bench = {
  what: "a plan and an apply of ten terraform_data, as jobs and by hand against the same backend",
  run: async ({ seconds, warmUpS }, tell) => {
    await withStage(async (stage) => {
      const fleet = await givenFleet(stage.db, 1, 1);
      const broker = await stage.startBroker();
      const connection = await openConnection(broker.url);
      const [first] = fleet.agents;
      if (first === undefined) return;
      const agent = await startLoneAgent({ url: broker.url, ...agentProgram() }, first);
      const ground = await openLocalContext(connection, { fleet, agent: first }, broker.url);
      await inTurns(ground, warmUpS);
      tellAll(tell, await inTurns(ground, seconds));
      await agent.end();
      await rm(ground.folder, { recursive: true });
      connection.close();
    });
  },
};

async function openLocalContext(
  connection: Connection,
  timing: Timing,
  url: string,
): Promise<Ground> {
  const folder = await mkdtemp(path.join(tmpdir(), "svc-bench-"));
  const names = Array.from({ length: resources }, (_, at) => `r${at}`);
  const main = names.map((name) => `resource "terraform_data" "${name}" { input = var.word }\n`);
  const text = `variable "word" { type = string }\n${main.join("")}`;
  await writeFile(path.join(folder, "main.tf"), text);
  const packed = path.join(folder, "source.tgz");
  await run("tar", ["-czf", packed, "-C", folder, "main.tf"]);
  const { stdout } = await run("base64", ["-w0", packed]);
  const byHand = await newWorkspace(connection, timing);
  const at = `${url}/v1/terraform-workspaces/${byHand}`;
  const http = {
    address: `${url}/v1/terraform-backend?workspace_id=${byHand}`,
    lock_address: `${at}/lock`,
    unlock_address: `${at}/unlock`,
    lock_method: "POST",
    unlock_method: "POST",
  };
  const backend = JSON.stringify({ terraform: { backend: { http } } });
  await writeFile(path.join(folder, "backend.tf.json"), backend);
  await writeFile(path.join(folder, "cli.rc"), "disable_checkpoint = true\n");
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    CHECKPOINT_DISABLE: "1",
    TF_IN_AUTOMATION: "1",
    TF_CLI_CONFIG_FILE: path.join(folder, "cli.rc"),
    TF_HTTP_USERNAME: "svc",
    TF_HTTP_PASSWORD: timing.fleet.adminToken,
  };
  const workspaceId = await newWorkspace(connection, timing);
  return { connection, timing, folder, archive: stdout, env, workspaceId };
}

async function newWorkspace(connection: Connection, { fleet }: Timing): Promise<string> {
  const body = JSON.stringify({ owner_id: "bench", owner_type: "installs" });
  const asked = requestText("POST /v1/terraform-workspaces", fleet.adminToken, body);
  return (JSON.parse((await connection.send(asked)).body) as { id: string }).id;
}

async function inTurns(ground: Ground, seconds: number): Promise<Took> {
  const took: Took = { jobPlan: [], jobApply: [], handPlan: [], handApply: [] };
  const untilMs = performance.now() + seconds * 1000;
  for (let nth = 0; performance.now() < untilMs; nth++) {
    const word = `${seconds}-${nth}`;
    const startedMs = performance.now();
    const planned = await asJob(ground, "create-apply-plan", { word });
    const plannedMs = performance.now();
    await asJob(ground, "apply-plan", { word, planned });
    const appliedMs = performance.now();
    await byHand(ground, ["init", "-input=false"]);
    await byHand(ground, ["plan", "-input=false", `-var=word=${word}`, "-out=plan"]);
    await byHand(ground, ["show", "-json", "plan"]);
    const handPlannedMs = performance.now();
    await rm(path.join(ground.folder, ".terraform"), { recursive: true });
    await byHand(ground, ["init", "-input=false"]);
    await byHand(ground, ["apply", "-input=false", "plan"]);
    await byHand(ground, ["show", "-json"]);
    await byHand(ground, ["output", "-json"]);
    took.handApply.push(performance.now() - handPlannedMs);
    await rm(path.join(ground.folder, ".terraform"), { recursive: true });
    took.jobPlan.push(plannedMs - startedMs);
    took.jobApply.push(appliedMs - plannedMs);
    took.handPlan.push(handPlannedMs - appliedMs);
  }
  return took;
}

/** In a session of its own, as a job's are: a kernel that groups processes by session gives each its share. */
async function byHand({ folder, env }: Ground, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { cwd: folder, env, detached: true, stdio: "ignore" });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`terraform ${args.join(" ")} ended with ${code}`);
}

/** Answers what an apply needs of it. */
async function asJob(
  ground: Ground,
  operation: string,
  { word, planned = {} }: { readonly word: string; readonly planned?: object },
): Promise<object> {
  const { connection, timing, workspaceId, archive } = ground;
  const body = {
    terraform_backend: { WorkspaceID: workspaceId },
    source: { archive },
    vars: { word },
  };
  const plan = { terraform: body, ...planned };
  const job = { type: "terraform-deploy", operation, plan };
  const id = await enqueue(connection, timing, JSON.stringify(job));
  await waitFor(connection, timing.fleet, id);
  if (operation === "apply-plan") return {};
  const { adminToken } = timing.fleet;
  const read = async (what: string): Promise<unknown> =>
    JSON.parse((await connection.send(requestText(`GET ${what}`, adminToken))).body);
  const { executions } = (await read(`/v1/runner-jobs/${id}`)) as { executions: { id: string }[] };
  const path = `/v1/runner-jobs/${id}/executions/${executions[0]?.id ?? ""}/result`;
  const { contents_gzip } = (await read(path)) as { contents_gzip: string };
  return { apply_plan_contents: contents_gzip };
}

function tellAll(tell: Tell, took: Took): void {
  const target = { atMost: 5 };
  for (const [what, job, hand] of [
    ["plan", took.jobPlan, took.handPlan],
    ["apply", took.jobApply, took.handApply],
  ] as const) {
    const [asJob, alone] = [quantile(job, 0.5), quantile(hand, 0.5)];
    const note = `${job.length} times`;
    tell({ figure: `${what} as a job, p50`, value: asJob, unit: "ms", note });
    tell({ figure: `${what} by hand, p50`, value: alone, unit: "ms" });
    tell({ figure: `${what}: added`, value: (asJob / alone - 1) * 100, unit: "%", target });
  }
}

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { writeZip } from "../test/support/sources/write-zip.ts";
import { tool } from "../test/tools/find-tool.ts";
import { toolTable } from "../test/tools/tool-table.ts";
import { type Connection, openConnection, requestText } from "./http-client.ts";
import type { Bench } from "./support/bench.ts";
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
const atOnce = 8;
const name = "terraform-provider-null";

/** Eight jobs at once that all need a provider which the host has not kept, a hundred times: one that fails ends the bench. */
export const terraformRounds: Bench = {
  what: "eight plans at once that find no provider kept, in 100 rounds: none may fail",
  run: async ({ scale }, tell) => {
    const rounds = Math.max(1, Math.round(100 * scale));
    await withStage(async (stage) => {
      const fleet = await givenFleet(stage.db, 1, atOnce);
      const broker = await stage.startBroker();
      const connection = await openConnection(broker.url);
      const [first] = fleet.agents;
      if (first === undefined) return;
      const folder = await mkdtemp(path.join(tmpdir(), "svc-bench-"));
      const { mirror, archive } = await makeFiles(folder);
      const flags = ["--groups", `deploy=${atOnce}`, "--provider-mirror", mirror];
      const agent = await startLoneAgent({ url: broker.url, ...agentProgram() }, first, flags);
      const timing = { fleet, agent: first };
      const workspaces = await newWorkspaces(connection, timing);
      const took: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const beganMs = performance.now();
        await planAll({ url: broker.url, timing, archive, workspaces });
        took.push(performance.now() - beganMs);
        await rm(path.join(agent.dataDir, "providers"), { recursive: true });
      }
      const note = `${rounds} rounds of ${atOnce} without a failure`;
      tell({ figure: "a round, p50", value: quantile(took, 0.5), unit: "ms", note });
      await agent.end();
      await rm(folder, { recursive: true });
      connection.close();
    });
  },
};

/** A mirror that has the provider packed, so that each init unpacks it, and a configuration that needs it. */
async function makeFiles(folder: string): Promise<{ mirror: string; archive: string }> {
  const mirror = path.join(folder, "mirror");
  const { version } = toolTable.find((one) => one.name === "provider-null") ?? { version: "" };
  const platform = `${process.platform}_${process.arch === "x64" ? "amd64" : process.arch}`;
  const zip = `registry.terraform.io/hashicorp/null/${name}_${version}_${platform}.zip`;
  await writeZip(path.join(mirror, zip), { [`${name}_v${version}`]: tool(name) });
  const source = path.join(folder, "source");
  await mkdir(source);
  const needs =
    'terraform {\n  required_providers {\n    null = { source = "hashicorp/null" }\n  }\n}\n';
  await writeFile(path.join(source, "main.tf"), `${needs}resource "null_resource" "one" {}\n`);
  const packed = path.join(folder, "source.tgz");
  await run("tar", ["-czf", packed, "-C", source, "main.tf"]);
  const { stdout } = await run("base64", ["-w0", packed]);
  return { mirror, archive: stdout };
}

async function newWorkspaces(connection: Connection, { fleet }: Timing): Promise<string[]> {
  const body = JSON.stringify({ owner_id: "bench", owner_type: "installs" });
  const asked = requestText("POST /v1/terraform-workspaces", fleet.adminToken, body);
  const made: string[] = [];
  for (let nth = 0; nth < atOnce; nth++) {
    made.push((JSON.parse((await connection.send(asked)).body) as { id: string }).id);
  }
  return made;
}

type Round = {
  readonly url: string;
  readonly timing: Timing;
  readonly archive: string;
  readonly workspaces: readonly string[];
};

/** Each on a connection of its own; throws when one fails. */
async function planAll({ url, timing, archive, workspaces }: Round): Promise<void> {
  await Promise.all(
    workspaces.map(async (id) => {
      const connection = await openConnection(url);
      const terraform = { terraform_backend: { WorkspaceID: id }, source: { archive } };
      const job = { type: "terraform-deploy", operation: "create-apply-plan", plan: { terraform } };
      const jobId = await enqueue(connection, timing, JSON.stringify(job));
      await waitFor(connection, timing.fleet, jobId);
      connection.close();
    }),
  );
}

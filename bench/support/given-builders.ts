import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { tool } from "../../test/tools/find-tool.ts";
import type { BenchApi } from "./bench-api.ts";

export const run = promisify(execFile);

/** A runner of the org's own, in whose account builds run, with its token. */
export async function givenOrgRunner(api: BenchApi): Promise<{ runnerId: string; token: string }> {
  const group = { type: "org", platform: "local" };
  const { id: runner_group_id } = await api<{ id: string }>("POST /v1/runner-groups", group);
  const runner = { name: "builds", runner_group_id };
  const { id: runner_id } = await api<{ id: string }>("POST /v1/runners", runner);
  const agent = { name: "agent", kind: "rt", runner_id };
  const { secret } = await api<{ secret: string }>("POST /v1/tokens", agent);
  return { runnerId: runner_id, token: secret };
}

/** What an agent is told that builds out of the repositories here. */
export const buildingFlags = ["--mode", "org", "--allow-file-sources", "yes"];

/** A folder for a bench, with what ends in it. */
export async function benchFolder(): Promise<string> {
  return await mkdtemp(path.join(tmpdir(), "svc-bench-"));
}

/** A git repository of files, by their names. */
export async function givenSource(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await benchFolder();
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const named = ["-c", "user.name=bench", "-c", "user.email=bench@example.com"];
  await run("git", ["init", "-q", "-b", "main"], { cwd: folder });
  await run("git", ["add", "."], { cwd: folder });
  await run("git", [...named, "commit", "-q", "-m", "all"], { cwd: folder });
  return folder;
}

export type BenchRegistry = { readonly host: string; readonly end: () => Promise<void> };

/** The registry of the distribution project, in a folder of its own. */
export async function startBenchRegistry(): Promise<BenchRegistry> {
  const folder = await benchFolder();
  const host = `127.0.0.1:${await freePort()}`;
  const config = {
    version: "0.1",
    log: { level: "error" },
    storage: { filesystem: { rootdirectory: path.join(folder, "storage") } },
    http: { addr: host },
  };
  const file = path.join(folder, "config.json");
  await writeFile(file, JSON.stringify(config));
  const child = spawn(tool("registry"), ["serve", file], { stdio: "ignore" });
  const isThere = () =>
    fetch(`http://${host}/v2/`).then(
      ({ ok }) => ok,
      () => false,
    );
  for (let tries = 0; !(await isThere()); tries++) {
    if (tries > 200) throw new Error("the registry does not answer");
    await sleep(50);
  }
  return {
    host,
    end: async () => {
      child.kill("SIGKILL");
      await once(child, "exit");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("there is no port");
  return address.port;
}

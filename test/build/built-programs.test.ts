import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { parseAst } from "rolldown/parseAst";
import { beforeAll, describe, expect, test } from "vitest";
import { version } from "../../shared/version.ts";
import { startAgentProcess } from "../support/agent/start-agent-process.ts";
import { expectConfigSynced } from "../support/apps/expect-config-synced.ts";
import { startBrokerProcess } from "../support/broker/broker-process.ts";
import { send } from "../support/broker/broker.ts";
import { testSealKeys } from "../support/broker/seal-keys.ts";
import { emptyDatabase } from "../support/database/database.ts";
import { builtPrograms } from "../support/programs/built-programs.ts";
import { testFolder } from "../support/run/folder.ts";
import { backendPath, stateText, terraformLock } from "../support/workspaces/given-workspace.ts";

const run = promisify(execFile);
let folder: string;

beforeAll(async () => {
  folder = await builtPrograms();
});

/** Runs a built program in an empty folder, as an executable; it finds the tests' own Node. */
async function built(name: string, args: readonly string[], env: Record<string, string> = {}) {
  const node = path.dirname(process.execPath);
  const result = await run(path.join(folder, `${name}.mjs`), args, {
    cwd: await testFolder(),
    env: { PATH: `${node}:${process.env["PATH"]}`, HOME: "/nonexistent", ...env },
  }).catch((error: { code: number; stdout: string; stderr: string }) => error);
  return { code: "code" in result ? result.code : 0, out: result.stdout, err: result.stderr };
}

/** Of this machine's own, in its usual places: those that are too old, and not so old that they know nothing of the syntax. */
async function olderNodes(): Promise<string[]> {
  const found: string[] = [];
  for (const file of ["/usr/bin/node", "/usr/local/bin/node", "/opt/homebrew/bin/node"]) {
    const version = await run(file, ["--version"]).catch(() => ({ stdout: "" }));
    const major = Number(/^v(\d+)/.exec(version.stdout)?.[1] ?? 0);
    if (major >= 16 && major < 24) found.push(file);
  }
  return found;
}

/** The flags of all regular expressions of a syntax tree. */
function* flagsIn(node: unknown): Generator<string> {
  if (typeof node !== "object" || node === null) return;
  if ("regex" in node && node.regex !== null) yield (node.regex as { flags: string }).flags;
  for (const part of Object.values(node)) yield* flagsIn(part);
}

describe("a built program", () => {
  test("is one file, with its source map beside it", async () => {
    const files = (await readdir(folder)).toSorted();
    const names = ["svc-agent", "svc-broker", "svc"];
    expect(files).toEqual(names.flatMap((name) => [`${name}.mjs`, `${name}.mjs.map`]));
    for (const name of names) {
      expect((await stat(path.join(folder, `${name}.mjs`))).mode & 0o111).toBe(0o111);
    }
  });

  test.each([
    ["svc", ["version"], `${version}\n`],
    ["svc-broker", ["--version"], `${version}\n`],
    ["svc-agent", ["version"], `svc-agent ${version} (Node `],
    ["svc", ["--help"], "svc runs a job broker"],
    ["svc-broker", ["--help"], "svc-broker "],
    ["svc-agent", ["--help"], "svc-agent takes jobs"],
    ["svc", ["job", "run", "--help"], "follow its log"],
    ["svc-agent", ["start", "--help"], "--broker-url URL"],
  ])("%s %j works in an empty folder", async (name, args, words) => {
    const { code, out } = await built(name, args);
    expect(code).toBe(0);
    expect(out.startsWith(words) || out.includes(words)).toBe(true);
  });

  test("svc-agent says on an older Node which one it needs, and that nobody need start it again", async () => {
    const file = path.join(folder, "svc-agent.mjs");
    // No name of Node's own is asked for before the first line runs: an older one may not have it.
    expect(await readFile(file, "utf8")).not.toMatch(/^import [^"]*\{[^"]*\} from "node:/m);
    const versions = '{...process.versions,node:"22.1.0"}';
    const older = `data:text/javascript,Object.defineProperty(process,"versions",{value:${versions}})`;
    const asOlder = [process.execPath, "--import", older, file];
    for (const [node = "", ...words] of [
      asOlder,
      ...(await olderNodes()).map((one) => [one, file]),
    ]) {
      const ended = await run(node, [...words, "start"], { env: {} }).catch(
        (error: unknown) => error,
      );
      expect(ended).toMatchObject({
        code: 78,
        stdout: "",
        stderr: expect.stringMatching(
          /^svc-agent needs Node 24\.5 or newer, and \S+ is [\d.]+: .+\n$/,
        ) as string,
      });
    }
  });

  test.each(["svc", "svc-agent"])("%s can be read by a Node 16, to be refused", async (name) => {
    const text = await readFile(path.join(folder, `${name}.mjs`), "utf8");
    const flags = new Set(flagsIn(parseAst(text)));
    expect([...flags].filter((one) => /[^dgimsuy]/.test(one))).toEqual([]);
    expect(flags.size).toBeGreaterThan(2);
    const own = [...text.matchAll(/^import [^"\n]*"node:([\w/]+)"/gm)].map(([, from]) => from);
    expect(own).toContain("fs");
    expect(own.filter((from) => ["sea", "sqlite", "test"].includes(from ?? ""))).toEqual([]);
  });

  test.each([
    ["svc", 2],
    ["svc-broker", 2],
    ["svc-agent", 64],
  ])("%s refuses what it does not know with %i", async (name, code) => {
    const refused = await built(name, ["nonsense"]);
    expect(refused).toMatchObject({ code, out: "" });
    expect(refused.err).toContain("nonsense");
  });

  test("svc-agent has the client of clusters packed within itself, for its doctor", async () => {
    const kubeConfig = path.join(await testFolder(), "config");
    const cluster = { name: "c", cluster: { server: "https://127.0.0.1:20011" } };
    const context = { name: "x", context: { cluster: "c", user: "u" } };
    const file = { "current-context": "x", clusters: [cluster], contexts: [context] };
    const users = [{ name: "u", user: { token: "kube-secret-token" } }];
    await writeFile(
      kubeConfig,
      JSON.stringify({ ...file, apiVersion: "v1", kind: "Config", users }),
    );
    const line = ["doctor", "--broker-url", "http://127.0.0.1:1", "--data-dir", await testFolder()];
    const { out, err } = await built("svc-agent", line, { KUBECONFIG: kubeConfig });
    expect(out + err).toContain(`The cluster of ${kubeConfig} cannot be reached (ECONNREFUSED)`);
    expect(out + err).not.toContain("kube-secret-token");
  });

  test("needs no folder beside it to bring up a database, a broker and an agent that does a job", async () => {
    const { url: databaseUrl } = await emptyDatabase();
    const env = { DATABASE_URL: databaseUrl, SVC_SEAL_KEYS: testSealKeys };
    expect(await built("svc", ["migrate", "up"], env)).toMatchObject({ code: 0 });
    const admin = await built("svc", ["token", "create", "--new-org", "Acme"], env);
    const token = /svc_\w+/.exec(admin.out)?.[0] ?? "";
    const broker = await startBrokerProcess(databaseUrl, {
      main: path.join(folder, "svc-broker.mjs"),
    });
    try {
      const { runnerId, runnerToken } = await makeRunner(broker.url, token);
      const tokenFile = path.join(await testFolder(0o700), "token");
      await writeFile(tokenFile, runnerToken);
      await startAgentProcess({
        url: broker.url,
        command: [process.execPath, path.join(folder, "svc-agent.mjs")],
        settings: { "token-file": tokenFile },
      });
      const ran = await built("svc", ["job", "run", "--runner", runnerId, "--type", "noop"], {
        SVC_URL: broker.url,
        SVC_TOKEN: token,
      });
      expect(ran.err).toContain(" finished");
      expect(ran.code).toBe(0);
      await expectLargeStateRead(broker.url, token);
      const plan = { pad: "p".repeat(300_000) }; // it is read by a child process, too
      const body = { type: "noop", plan };
      const job = await send(broker.url, `POST /v1/runners/${runnerId}/jobs`, { token, body });
      expect(job.status).toBe(201);
      await expectConfigSynced(broker.url, token);
    } finally {
      await broker.kill();
    }
  });
});

/** It is read by a child process, whose program has to be in the one file. */
async function expectLargeStateRead(url: string, token: string): Promise<void> {
  const call = <T>(what: string, body?: unknown) => send<T>(url, what, { token, body });
  const { id } = (await call<{ id: string }>("POST /v1/terraform-workspaces", {})).body;
  const lock = terraformLock();
  await call(`POST /v1/terraform-workspaces/${id}/lock`, lock);
  const padding = randomBytes(2_000_000).toString("base64");
  const state = stateText({ serial: 1, padding });
  expect((await call(`POST ${backendPath(id, lock.ID)}`, state)).status).toBe(200);
  const path = `/v1/terraform-workspaces/${id}/states/1`;
  const resources = await call<object[]>(`GET ${path}/resources`);
  expect(resources).toMatchObject({ status: 200, body: [{ address: "terraform_data.one" }] });
}

async function makeRunner(url: string, token: string) {
  const made = async <T>(what: string, body: object): Promise<T> => {
    const answer = await send<T>(url, what, { token, body });
    expect(answer.status).toBe(201);
    return answer.body;
  };
  const group = await made<{ id: string }>("POST /v1/runner-groups", {
    type: "install",
    platform: "aws",
  });
  const { id: runnerId } = await made<{ id: string }>("POST /v1/runners", {
    name: "one",
    runner_group_id: group.id,
  });
  const { secret } = await made<{ secret: string }>("POST /v1/tokens", {
    name: "agent",
    kind: "rt",
    runner_id: runnerId,
  });
  return { runnerId, runnerToken: secret };
}

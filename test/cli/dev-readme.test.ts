import { spawn } from "node:child_process";
import { once } from "node:events";
import { symlink } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { emptyDatabase } from "../support/database/database.ts";
import { freePorts } from "../support/network/free-ports.ts";
import { makeLauncher } from "../support/programs/make-launcher.ts";
import {
  agentProgram,
  compileCache,
  svcProgram,
  svcSource,
} from "../support/programs/present-programs.ts";
import { startSvc } from "../support/programs/svc.ts";
import { asTypedHere, typedLines } from "../support/programs/typed-lines.ts";
import { testFolder } from "../support/run/folder.ts";

/** What of the README is not run here, and why. */
const leftOut: readonly (readonly [line: RegExp, why: string])[] = [
  [/^npm ci && npm start/, "this test has it started already, with a database of its own"],
  [/^npm ci && npm run check/, "it would run this test again"],
  [/terraform apply/, "needs terraform: dev.test.ts runs it where that is"],
  [
    /svc install components|svc deploy |svc install drift/,
    "its app has no components: dev.test.ts deploys one",
  ],
  [/manifest diff|helm upgrade/, "needs a cluster: by-agent tests of this folder have one"],
];

/** With this line production begins, which the second test types. */
const firstOfProduction = "export DATABASE_URL=postgres://svc@db.example.com/svc";

const shownRunner = /run_01m7z0dkhfpgvvdwwn1rqbkz9c/;

/** A receiver that takes what it gets, in the place of the README's. */
async function startReceiver(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
}

/** Runs the script to its end; answers all that it said. */
async function typed(
  script: string,
  { folder, env }: { readonly folder: string; readonly env: Readonly<Record<string, string>> },
): Promise<string> {
  const shell = spawn("bash", ["-c", script], {
    cwd: folder,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: `${folder}:${process.env["PATH"]}`,
      NODE_COMPILE_CACHE: compileCache,
      XDG_CONFIG_HOME: folder,
      ...env,
    },
  });
  onTestFinished(() => void process.kill(-(shell.pid ?? 0), "SIGKILL")); // what it left in the background
  let said = "";
  for (const stream of [shell.stdout, shell.stderr])
    stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(shell, "exit")) as [number | null];
  const fault = code === 0 ? "" : said.slice(said.lastIndexOf("@@ ./svc"));
  expect({ code, fault }).toEqual({ code: 0, fault: "" });
  return said;
}

test("the README works as it is printed, from first to last line, with the agent of svc dev", async () => {
  const [dataDir, folder] = [await testFolder(), await testFolder()];
  const database = { DATABASE_URL: (await emptyDatabase()).url };
  const args = ["dev", "--port", "0", "--data-dir", dataDir];
  const dev = startSvc(args, { env: database, main: svcSource });
  await expect.poll(() => dev.said.out + dev.said.err).toContain("Ctrl-C stops it");
  const runner = /^ {2}runner {8}(run_\w+)$/m.exec(dev.said.out)?.[1] ?? "";
  await makeLauncher(folder, "svc", svcProgram);
  await symlink(path.resolve("examples"), path.join(folder, "examples"));

  const all = await typedLines("README.md");
  const lines = all.slice(0, all.indexOf(firstOfProduction));
  const unused = leftOut.filter(([which]) => !lines.some((line) => which.test(line)));
  expect(unused).toEqual([]);
  const run = lines.filter((line) => !leftOut.some(([which]) => which.test(line)));
  expect(run.length).toBeGreaterThan(25);
  const receiver = await startReceiver();
  const here = (line: string): string =>
    line.replace(shownRunner, runner).replace("https://example.com/hooks", receiver);
  const script = run.map((line, n) => asTypedHere(here(line), n)).join("\n");
  const env = { SVC_DATA_DIR: dataDir };
  expect(await typed(script, { folder, env })).toContain("@@ ./svc runner drain");
  dev.kill("SIGINT");
  expect(await dev.ended).toMatchObject({ code: 0 });
});

test("the README's part on production works as it is printed, with a database and an agent of its own", async () => {
  const folder = await testFolder();
  await makeLauncher(folder, "svc", svcProgram);
  await makeLauncher(folder, "svc-agent", agentProgram);
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const database = (await emptyDatabase()).url;
  const all = await typedLines("README.md");
  const lines = all.slice(all.indexOf(firstOfProduction));
  /** What stays in the foreground on another terminal or host, and what tells that it works. */
  const until: Readonly<Record<string, string>> = {
    "./svc broker": `curl -fs ${url}/readyz`,
    "svc-agent start": `./svc runner list | grep -q ' active '`,
  };
  const here = (line: string): string => {
    const [, said = ""] = /^([^#]+?)(?: {2,}#.*)?$/.exec(line) ?? [];
    const local = said
      .replace("postgres://svc@db.example.com/svc", database)
      .replaceAll("https://svc.example.com", url);
    const works = Object.entries(until).find(([start]) => local.startsWith(start))?.[1];
    if (works !== undefined) return `${local} > here.log 2>&1 & until ${works}; do sleep 0.1; done`;
    if (local.startsWith("svc-agent doctor")) return `${local} || [ $? = 2 ]`; // it may warn of this host
    if (!local.startsWith("./svc runner create")) return local;
    return `${local} | tee made; grep -om1 'svc_boot_[0-9A-Za-z]*' made > enrolment-token`;
  };
  const script = lines.map((line, n) => asTypedHere(here(line), n)).join("\n");
  const env = {
    SVC_PORT: String(port),
    SVC_AGENT_DATA_DIR: path.join(folder, "agent"),
    SVC_AGENT_RUN_DIR: path.join(folder, "run"),
  };
  expect(await typed(script, { folder, env })).toContain("@@ svc-agent start");
});

import { copyFile, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { execa } from "execa";
import { beforeAll, expect, test } from "vitest";
import { startAgentProcess } from "../support/agent/start-agent-process.ts";
import { startBroker } from "../support/broker/broker.ts";
import { testDatabase } from "../support/database/database.ts";
import { givenToken } from "../support/rows/given-token.ts";
import { givenOrg, givenRunner } from "../support/rows/given.ts";
import { afterFile } from "../support/run/after-file.ts";
import { describeWithTools } from "../support/run/describe-with-tools.ts";
import { patiently } from "../support/run/folder.ts";
import { readRootFile } from "../support/run/source-files.ts";
import { toApp, toInstall } from "../support/tokens/given-bound-tokens.ts";
import { tool } from "../tools/find-tool.ts";
import { goFolder } from "../tools/tools-folder.ts";

const programs = path.join(import.meta.dirname, "clients");
const config = path.join(import.meta.dirname, "..", "..", "examples", "app");
const { db, url: databaseUrl } = await testDatabase();
const rates = { SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "0" };
const { url, call } = await startBroker({ url: databaseUrl, env: rates });

/** A folder with the API's document and one of our programs. */
async function givenFolder(route: string, program: string): Promise<string> {
  const folder = await mkdtemp(path.join(await realpath(tmpdir()), "svc-client-"));
  afterFile(async () => await rm(folder, { ...patiently, force: true }));
  const document = await fetch(`${url}${route}`);
  await writeFile(path.join(folder, path.basename(route)), await document.text());
  await copyFile(path.join(programs, program), path.join(folder, program));
  return folder;
}

/** Runs a line of docs/client.md, as it stands there, with a tool of ours; answers all that it prints. */
async function runDocumented(cwd: string, begins: string, ...program: [string, ...string[]]) {
  const lines = (await readRootFile("docs/client.md")).split("\n");
  const args =
    lines
      .find((line) => line.startsWith(begins))
      ?.split(" ")
      .slice(1) ?? [];
  const [file, ...first] = program;
  return (await execa(tool(file), [...first, ...args], { cwd, all: true })).all;
}

/** An org with a runner whose agent works, and what a program needs to tell the story there. */
async function givenStage(): Promise<string[]> {
  const runner = await givenRunner(db, { parallelism: { actions: 1 } });
  await startAgentProcess({
    url,
    env: { SVC_AGENT_TOKEN: await givenToken(db, runner) },
    settings: { groups: "actions=1" },
  });
  const token = await givenToken(db, { orgId: runner.orgId, role: "org_admin" });
  return [url, token, runner.groupId, config];
}

const story = {
  config: [1, "active"],
  provisioned: "success",
  asked: true,
  answered: "applied",
  ended: "success",
  log: expect.arrayContaining(["Hello, world"]) as string[],
  pinged: "delivered",
  // The first of them by the ping.
  heard: [
    "provision succeeded",
    "provision started",
    "provision succeeded",
    "action_workflow_run started",
    "action_workflow_run succeeded",
  ].toSorted(),
};

/** What a program told; what it heard of two workflows has no order. */
function toldBy(stdout: string): unknown {
  const told = JSON.parse(stdout) as { heard: string[] };
  return { ...told, heard: told.heard.toSorted() };
}

describeWithTools(["python-openapi"], "a client for Python", () => {
  let cwd: string;
  const python = async (...args: string[]) =>
    await execa(tool("python-openapi"), args, { cwd, all: true });

  beforeAll(async () => {
    cwd = await givenFolder("/openapi.json", "story.py");
    await copyFile(path.join(programs, "names.py"), path.join(cwd, "names.py"));
    const settings = /^echo '(.+)' > openapi-python-client.json$/m;
    const [, given = ""] = settings.exec(await readRootFile("docs/client.md")) ?? [];
    await writeFile(
      path.join(cwd, "openapi-python-client.json"),
      // Without the formatting of what nobody reads.
      JSON.stringify({ ...(JSON.parse(given) as object), post_hooks: [] }),
    );
  });

  test("is made whole, without a warning or a name that is not defined, and tells the README's story", async () => {
    const generator = ["python-openapi", "-m", "openapi_python_client"] as const;
    const said = await runDocumented(cwd, "openapi-python-client generate", ...generator);
    expect(said).toBe("Generating svc");
    const rules = ["--isolated", "--no-cache", "--select", "E9,F63,F7,F82"];
    expect((await python("-m", "ruff", "check", ...rules)).all).toBe("All checks passed!");
    const { stdout } = await python("-W", "error", "story.py", ...(await givenStage()));
    expect(toldBy(stdout)).toEqual(story);
  });

  test("escapes names, each of which is found, or refused in a clear sentence", async () => {
    const input = JSON.stringify(await givenCallers());
    const { stdout } = await execa(tool("python-openapi"), ["names.py", url], { cwd, input });
    const said = stdout.replaceAll(/\b[a-z]{3}_[0-9a-z]{26}\b/g, (id) => `${id.slice(0, 4)}…`);
    await expect(`${said}\n`).toMatchFileSnapshot("clients/names.txt");
  });
});

/** Tokens of one org, by what each of them reaches: all of it, the app shop, one install of another app. */
async function givenCallers(): Promise<Record<string, string>> {
  const orgId = await givenOrg(db);
  const token = await givenToken(db, { orgId, role: "org_admin" });
  const make = async (what: string, body: object) =>
    (await call<{ id: string; secret: string }>(`POST ${what}`, { token, body })).body;
  const inputs = { input: [{ name: "audience", required: true }] };
  const steps = [{ name: "run", command: "true" }];
  const actions = { "careful.toml": { name: "careful", steps } };
  const [shop, other] = await Promise.all(
    ["shop", "other"].map(async (name) => {
      const app = await make("/v1/apps", { name });
      const document = { "metadata.toml": { name }, "inputs.toml": inputs, actions };
      await make(`/v1/apps/${app.id}/configs/sync`, document);
      return app;
    }),
  );
  const install = { name: "one 1/2", inputs: { audience: "world" }, start: false };
  const { id } = await make(`/v1/apps/${other?.id}/installs`, install);
  const bound = async (to: object) =>
    (await make("/v1/tokens", { name: "b", kind: "it", role: "installer", ...to })).secret;
  return {
    org: token,
    app: await bound(toApp(shop?.id ?? "")),
    install: await bound(toInstall(id)),
  };
}

describeWithTools(
  ["go", "oapi-codegen", "openapi-validate", "go-openapi"],
  "a client for Go",
  () => {
    test("is made whole of a document that is valid, and tells the README's story", async () => {
      const cwd = await givenFolder("/openapi-3.0.json", "story.go");
      const valid = await execa(tool("openapi-validate"), ["openapi-3.0.json"], { cwd, all: true });
      expect(valid.all).toBe("");
      await mkdir(path.join(cwd, "svc"));
      expect(await runDocumented(cwd, "oapi-codegen -generate", "oapi-codegen")).toBe("");
      for (const file of ["go.mod", "go.sum"]) {
        const pins = await readFile(path.join(goFolder("oapi-runtime"), file), "utf8");
        await writeFile(path.join(cwd, file), pins.replace(/^module .*/, "module story"));
      }
      // Unoptimised, which is less work; what was compiled is kept, so an unchanged document is not compiled twice.
      const build = ["build", "-gcflags=-N -l", "-o", "story", "."];
      expect((await execa(tool("go-openapi"), build, { cwd, all: true })).all).toBe("");
      const { stdout } = await execa(path.join(cwd, "story"), await givenStage());
      expect(toldBy(stdout)).toEqual(story);
    });
  },
);

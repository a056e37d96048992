import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../../agent/config/read-config.ts";
import { findTerraform, type TerraformTool } from "../../../agent/tools/find-terraform.ts";
import { until } from "../../support/broker/given-polling.ts";
import { testFolder } from "../../support/run/folder.ts";
import { makeOpenPgpSigner } from "../../support/terraform/openpgp-signer.ts";
import { sayingVersion, startReleaseServer } from "../../support/terraform/start-release-server.ts";

/** An agent's settings with a tools folder of its own, and what finds tools by them. */
async function setup(more: Readonly<Record<string, string>> = {}) {
  const server = await startReleaseServer();
  const [dataDir, onPath] = [await testFolder(0o755), await testFolder(0o755)];
  const settings = { "data-dir": dataDir, ...server.settings, ...more };
  const said: string[] = [];
  const find = async (
    tool: TerraformTool,
    version?: string,
    signal = new AbortController().signal,
  ) => {
    const config = readConfig(settings, { PATH: `${onPath}:/usr/bin:/bin` });
    const say = (words: string) => void said.push(words);
    return await findTerraform(config, { tool, version, say, signal });
  };
  const put = async (name: string, version: string): Promise<void> =>
    await writeFile(path.join(onPath, name), sayingVersion(version), { mode: 0o755 });
  const kept = path.join(dataDir, "tools");
  return { ...server, find, put, said, kept, onPath, settings };
}

/** The same in a process of its own. */
function spawnFinder(
  version: string,
  settings: object,
): ChildProcess & { stdout: NodeJS.ReadableStream } {
  const entry = path.join(import.meta.dirname, "..", "..", "support", "programs", "tool-finder.ts");
  const args = [entry, "terraform", version, JSON.stringify(settings)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

describe("terraform of the version that a plan pins", () => {
  test("is what is on the PATH when that is it, and without one, too", async () => {
    const { find, put, onPath, asked } = await setup();
    await put("terraform", "1.9.8");
    const program = path.join(onPath, "terraform");
    for (const version of [undefined, "", "1.9.8", "v1.9.8"]) {
      expect(await find("terraform", version)).toEqual({ program, version: "1.9.8" });
    }
    expect(asked).toEqual([]);
    await put("terraform", "1.10.0"); // somebody has installed another one
    expect(await find("terraform")).toEqual({ program, version: "1.10.0" });
  });

  test("is downloaded once, verified, and kept for all who may run it", async () => {
    const { find, put, kept, archives, said, url } = await setup();
    await put("terraform", "1.9.8");
    const place = path.join(kept, "terraform", "1.5.7", "terraform");
    for (let nth = 0; nth < 2; nth++) {
      expect(await find("terraform", "1.5.7")).toEqual({ program: place, version: "1.5.7" });
    }
    expect(archives()).toBe(1);
    expect(said).toEqual([`Downloading terraform 1.5.7 from ${url}/terraform.`]);
    expect(await readdir(path.dirname(place))).toEqual(["terraform"]);
    const { program } = await find("opentofu", "1.10.5"); // by way of a redirect
    expect(program).toBe(path.join(kept, "opentofu", "1.10.5", "tofu"));
  });

  test("is not waited for by who is stopped; who is left gets it, and what nobody wants is given up", async () => {
    const { find, hold, archives, kept } = await setup();
    const letGo = hold();
    const [one, other] = [new AbortController(), new AbortController()];
    const finding = [one, other].map(
      async ({ signal }) => await find("terraform", "1.5.7", signal),
    );
    await until(() => archives() === 1);
    one.abort();
    await expect(finding[0]).rejects.toThrow("the job was stopped");
    letGo();
    expect((await finding[1])?.version).toBe("1.5.7");
    const letOn = hold();
    const third = new AbortController();
    const given = find("terraform", "1.5.8", third.signal);
    await until(() => archives() === 2);
    third.abort();
    await expect(given).rejects.toThrow("the job was stopped");
    letOn();
    const folder = path.join(kept, "terraform", "1.5.8");
    await until(async () => (await readdir(folder)).length === 0);
  });

  test.each<[string, (server: Awaited<ReturnType<typeof setup>>) => void, string, string]>([
    [
      "whose sums another key has signed",
      ({ replace }) => replace("SHA256SUMS.sig", makeOpenPgpSigner().sign(Buffer.from("x"))),
      "signature",
      "which is not trusted",
    ],
    [
      "whose sums were changed after they were signed",
      ({ replace }) => replace("SHA256SUMS", Buffer.from("evil")),
      "signature",
      "its signature does not match",
    ],
    [
      "whose signature is none",
      ({ replace }) => replace("SHA256SUMS.sig", Buffer.from("<html>")),
      "signature",
      "is not",
    ],
    [
      "whose archive has another sum",
      ({ replace }) => replace(".zip", Buffer.from("evil")),
      "digest",
      "has the checksum",
    ],
    ["that is not there", ({ replace }) => replace("SHA256SUMS", undefined), "not_found", "(404)"],
  ])("and %s is not taken, and nothing is left of it", async (_, change, kind, words) => {
    const server = await setup();
    change(server);
    const failure = await server.find("terraform", "1.5.7").catch((error: unknown) => error);
    expect(failure).toMatchObject({ reason: "tool_missing", metadata: { class: kind } });
    expect(String(failure)).toContain("Terraform 1.5.7 is not available: ");
    expect(String(failure)).toContain(words);
    const folder = path.join(server.kept, "terraform", "1.5.7");
    expect(existsSync(folder) ? await readdir(folder) : []).toEqual([]);
  });

  test("is not downloaded where the operator wants none, who may put it there", async () => {
    const { find, kept, asked } = await setup({ "terraform-releases": "off" });
    const place = path.join(kept, "terraform", "1.5.7", "terraform");
    await expect(find("terraform", "1.5.7")).rejects.toThrow(`neither on the PATH nor in ${place}`);
    await mkdir(path.dirname(place), { recursive: true });
    await writeFile(place, sayingVersion("1.5.7"), { mode: 0o755 });
    expect((await find("terraform", "1.5.7")).program).toBe(place);
    expect(asked).toEqual([]);
    await expect(find("opentofu")).rejects.toThrow("Opentofu is not on the agent");
    await expect(find("terraform", "~> 1.5")).rejects.toThrow("the version ~> 1.5 of terraform");
  });

  test("says that its server is away, and comes when it is back", async () => {
    const { find } = await setup({ "terraform-releases": "http://127.0.0.1:2/terraform" });
    await expect(find("terraform", "1.5.7")).rejects.toThrow("cannot be reached: ECONNREFUSED");
  });

  test("is downloaded once by all who want it at once, in one process and in several", async () => {
    const { find, settings, archives, hold } = await setup();
    const letGo = hold();
    const here = [find("terraform", "1.5.7"), find("terraform", "1.5.7")];
    await until(() => archives() === 1);
    const others = [spawnFinder("1.5.7", settings), spawnFinder("1.5.7", settings)];
    const told = others.map(async (child) => await text(child.stdout));
    letGo();
    const all = [
      ...(await Promise.all(here)),
      ...(await Promise.all(told)).map((one) => JSON.parse(one) as object),
    ];
    expect(new Set(all.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(archives()).toBe(1);
  });

  test("is downloaded by the next one when the first is killed in the middle of it", async () => {
    const { settings, archives, hold, kept } = await setup();
    const letGo = hold();
    const first = spawnFinder("1.5.7", settings);
    const folder = path.join(kept, "terraform", "1.5.7");
    await until(() => existsSync(path.join(folder, ".lock")) && archives() === 1);
    first.kill("SIGKILL");
    await once(first, "exit");
    letGo();
    const found = JSON.parse(await text(spawnFinder("1.5.7", settings).stdout)) as object;
    expect(found).toMatchObject({ version: "1.5.7" });
    expect(archives()).toBe(2);
    const left = (await readdir(folder)).filter((name) => name !== "terraform");
    expect(left).toEqual([expect.stringMatching(/^\.half-.*\.zip$/)]);
  });

  test("leaves alone what another writes beside it, but not what was left hours ago", async () => {
    const { find, kept } = await setup();
    const folder = path.join(kept, "terraform", "1.5.7");
    await mkdir(folder, { recursive: true });
    const [fresh, old] = [".half-terraform", ".half-left"];
    for (const name of [fresh, old]) await writeFile(path.join(folder, name), "half");
    await utimes(path.join(folder, old), 0, 0);
    await find("terraform", "1.5.7");
    expect((await readdir(folder)).toSorted()).toEqual([fresh, "terraform"]);
    expect(await readFile(path.join(folder, fresh), "utf8")).toBe("half");
  });
});

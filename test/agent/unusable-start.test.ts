import { once } from "node:events";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../agent/config/read-config.ts";
import { openLog } from "../../agent/log.ts";
import { openStatusServer } from "../../agent/status/status-server.ts";
import { startAgentProcess } from "../support/agent/start-agent-process.ts";
import { testFolder } from "../support/run/folder.ts";

const nobody = "http://127.0.0.1:1";
const tries = { "start-timeout": "1s" };
const isRoot = process.getuid?.() === 0;

/** Starts an agent that is to refuse: one sentence on standard error, nothing in its log, and its code. */
async function refusal(settings: Record<string, string>, dataDir?: string) {
  const env = { SVC_AGENT_TOKEN: `svc_rt_${"x".repeat(36)}` };
  const given = { url: nobody, env, settings: { ...tries, ...settings } };
  const agent = await startAgentProcess(dataDir === undefined ? given : { ...given, dataDir });
  const code = await agent.ended;
  expect(agent.said.log).toEqual([]);
  return { code, said: agent.said.err };
}

async function taken(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

describe("an agent that cannot start", () => {
  test("says that a file is in the place of its data directory", async () => {
    const file = path.join(await testFolder(), "data");
    await writeFile(file, "mine");
    for (const place of [file, path.join(file, "below")]) {
      const words = "it or one of its parents is a file; choose another directory.";
      const said = `Cannot use the data directory ${place}: ${words}\n`;
      expect(await refusal({}, place)).toEqual({ code: 78, said });
    }
    expect(await readFile(file, "utf8")).toBe("mine");
  });

  test("says that a part of its data directory is no folder", async () => {
    const folder = await testFolder(0o700);
    await writeFile(path.join(folder, "results"), "");
    const { code, said } = await refusal({}, folder);
    expect(code).toBe(78);
    expect(said).toMatch(/^Cannot use the data directory \S+ \(\S+\/results\S*\): .+\.\n$/);
    expect(await readdir(folder)).not.toContain("agent.json");
  });

  test("says that it may not write into its data directory, or that its file system takes nothing", async () => {
    // Whoever may write everywhere still may not here.
    const place = isRoot ? "/sys/svc-agent" : await testFolder(0o500);
    const { code, said } = await refusal({}, place);
    expect(code).toBe(78);
    expect(said).toMatch(/^Cannot use the data directory \S+: [^\n]+\.\n$/);
  });

  test("says the same of its work directory and its run directory", async () => {
    const folder = await testFolder(0o700);
    const file = path.join(folder, "file");
    await writeFile(file, "");
    const work = await refusal({ "work-dir": path.join(file, "work") });
    expect(work.code).toBe(78);
    expect(work.said).toMatch(/^Cannot use the work directory \S+: .+\.\n$/);
    const run = await refusal({ "run-dir": path.join(file, "run") });
    expect(run.code).toBe(78);
    expect(run.said).toMatch(/^Cannot create the run directory \S+ \(ENOTDIR\)\.\n$/);
  });

  test("says who has its data directory, and leaves what is in it alone", async () => {
    const folder = await testFolder(0o700);
    await mkdir(path.join(folder, "bin"));
    const own = path.join(folder, "bin", "svc-agent");
    await writeFile(own, "#!/bin/sh\n");
    await chmod(own, 0o700);
    const stat = await readFile("/proc/self/stat", "latin1");
    const start_time = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    const presence = { pid: process.pid, start_time, watch_url: null };
    await writeFile(path.join(folder, "agent.json"), JSON.stringify(presence));
    const words = `Another agent (pid ${process.pid}) uses the data directory ${folder}. Give each agent its own.\n`;
    expect(await refusal({}, folder)).toEqual({ code: 1, said: words });
    expect(await readFile(own, "utf8")).toBe("#!/bin/sh\n");
  });

  test("says that the watch-port is taken that somebody asked for", async () => {
    const port = await taken();
    const { code, said } = await refusal({ "watch-port": `${port}` });
    expect(code).toBe(78);
    const advice = "choose another watch-port, auto for a free one, or 0 to disable it.";
    expect(said).toBe(
      `Cannot listen on the watch-port ${port} of 127.0.0.1: the port is in use; ${advice}\n`,
    );
  });
});

describe("the usual watch-port", () => {
  test("is done without where another agent has it, and that is told", async () => {
    const port = await taken();
    const given = readConfig({ "broker-url": nobody, "watch-port": `${port}` }, {});
    const logged: string[] = [];
    const log = openLog("info", { write: (line) => void logged.push(line) });
    const sources = { ...given.sources, "watch-port": "default" as const };
    const watch = await openStatusServer({ watchPort: given.watchPort, sources }, log);
    expect(watch.url).toBeNull();
    expect(logged.join("")).toContain(`Cannot listen on the watch-port ${port} of 127.0.0.1`);
  });
});

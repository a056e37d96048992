import { appendFile, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openLog } from "../../../agent/log.ts";
import { openResultOutbox } from "../../../agent/spool/result-outbox.ts";
import { testFolder } from "../../support/run/folder.ts";

async function setup() {
  const dir = join(await testFolder(), "results");
  const lines: string[] = [];
  const log = openLog("info", { write: (line) => void lines.push(line) });
  const open = async () => {
    const spool = await openResultOutbox({ dir, log, retryEveryMs: 5 });
    onTestFinished(spool.close);
    return spool;
  };
  return { dir, lines, open, spool: await open() };
}

const result = {
  success: false,
  description: "exit 3",
  outputs: { "2": "b", "1": ["a", null, -1.5e300] },
};

describe("a spool of results", () => {
  test("gives a later process of the agent what an earlier one put, the oldest first", async () => {
    const { open, spool, dir } = await setup();
    await spool.put("exe_b", result);
    await expect
      .poll(async () => Date.now() > (await stat(join(dir, "exe_b.json"))).mtimeMs + 20)
      .toBe(true);
    await spool.put("exe_a", { success: true });
    const later = await open();
    expect(later.list()).toEqual(["exe_b", "exe_a"]);
    expect(await later.read("exe_b")).toEqual(result);
    await later.remove("exe_b");
    expect((await open()).list()).toEqual(["exe_a"]);
    expect(await later.read("exe_b")).toBeUndefined();
  });

  test("leaves nothing half-written, readable by nobody else", async () => {
    const { dir, spool, open } = await setup();
    await spool.put("exe_a", result);
    expect(await readdir(dir)).toEqual(["exe_a.json"]);
    expect((await stat(join(dir, "exe_a.json"))).mode & 0o777).toBe(0o600);
    await writeFile(join(dir, "exe_b.json.12.tmp"), '{"crc');
    expect((await open()).list()).toEqual(["exe_a"]);
    expect(await readdir(dir)).toEqual(["exe_a.json"]);
  });

  test.each([
    ["cut off", (text: string) => text.slice(0, -7)],
    ["empty", () => ""],
    ["changed in one letter", (text: string) => text.replace("exit 3", "exit 0")],
    ["of another make", () => '{"success":true}'],
    ["binary", () => "\0\xff".repeat(5000)],
  ])("sets aside, with one warning, a result that is %s", async (_, spoil) => {
    const { dir, lines, open, spool } = await setup();
    await spool.put("exe_bad", result);
    await spool.put("exe_good", result);
    const path = join(dir, "exe_bad.json");
    await writeFile(path, spoil(await readFile(path, "utf8")), "latin1");
    const later = await open();
    expect(await later.read("exe_bad")).toBeUndefined();
    expect(await later.read("exe_bad")).toBeUndefined();
    expect(await later.read("exe_good")).toEqual(result);
    expect(later.list()).toEqual(["exe_good"]);
    expect(await readdir(join(dir, "corrupt"))).toEqual(["exe_bad.json"]);
    expect(lines.filter((line) => line.includes('"warn"'))).toHaveLength(1);
    expect((await open()).list()).toEqual(["exe_good"]);
  });

  test("keeps in memory what the disk refuses, says so, and writes it when it can", async () => {
    const { dir, lines, open, spool } = await setup();
    await rm(dir, { recursive: true });
    await writeFile(dir, "a file where the folder was");
    await spool.put("exe_a", result);
    await spool.put("exe_b", result);
    expect(spool.problem()).toContain(`cannot write to ${dir}`);
    expect(await spool.read("exe_a")).toEqual(result);
    await spool.remove("exe_b");
    expect(spool.list()).toEqual(["exe_a"]);
    expect(spool.problem()).toBeDefined();
    await rm(dir);
    await mkdir(dir);
    await expect.poll(spool.problem).toBeUndefined();
    expect(await (await open()).read("exe_a")).toEqual(result);
    expect(lines.filter((line) => line.includes('"error"'))).toHaveLength(1);
  });

  test("does not take a result for corrupt that the system cannot read just now", async () => {
    const { dir, open, spool, lines } = await setup();
    await spool.put("exe_a", result);
    const path = join(dir, "exe_a.json");
    const kept = await readFile(path);
    await rm(path);
    await mkdir(path); // a read of it fails, as one does without a free file handle
    const later = await open();
    await expect(spool.read("exe_a")).rejects.toThrow("EISDIR");
    expect(spool.list()).toEqual(["exe_a"]);
    await rm(path, { recursive: true });
    await writeFile(path, kept);
    expect(await spool.read("exe_a")).toEqual(result);
    expect(later.list()).toEqual([]);
    expect(lines).toEqual([]);
  });

  test("tells when a result is on disk, or not needed there any more", async () => {
    const { dir, spool } = await setup();
    await spool.put("exe_a", result);
    expect(spool.isSafe("exe_a")).toBe(true);
    await rm(dir, { recursive: true });
    await writeFile(dir, "a file where the folder was");
    await spool.put("exe_b", result);
    await spool.put("exe_c", result);
    expect(spool.isSafe("exe_b")).toBe(false);
    const delivered = spool.safe("exe_b");
    await spool.remove("exe_b");
    await delivered;
    await rm(dir);
    await mkdir(dir);
    await spool.safe("exe_c");
    expect(await readdir(dir)).toEqual(["exe_c.json"]);
  });

  test("writes no file outside of itself, whatever an execution is called", async () => {
    const { dir, spool } = await setup();
    await spool.put("../exe_a", result);
    expect(spool.problem()).toBeDefined();
    expect(await spool.read("../exe_a")).toEqual(result);
    await spool.remove("../exe_a");
    await appendFile(join(dir, "some thing.json"), "");
    expect(spool.list()).toEqual([]);
    expect(await readdir(join(dir, ".."))).toEqual(["results"]);
  });
});

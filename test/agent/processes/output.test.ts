import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChildOutput } from "../../../agent/processes/child.ts";
import { readStat } from "../../../agent/processes/process-identity.ts";
import { findMarked } from "../../../agent/processes/sweep-marked.ts";
import { givenChildren, readAll, unreadBytes } from "../../support/agent/given-child.ts";
import { walks } from "../../support/model/walks.ts";

const mebibyte = 1_048_576;

/** Reads all and keeps nothing. */
async function digestOf(output: ChildOutput): Promise<{ size: number; digest: string }> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const { bytes, offset } of output) {
    hash.update(bytes);
    size = offset + bytes.length;
    output.release(size);
  }
  return { size, digest: hash.digest("hex") };
}

describe("what a child prints", () => {
  test("arrives byte by byte as it was printed, however it was cut", async () => {
    const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 20_000 }), { maxLength: 30 });
    const model = fc.asyncProperty(pieces, async (parts) => {
      const { start, cwd } = await givenChildren();
      const file = path.join(cwd, "print.mjs");
      const chunks = JSON.stringify(parts.map((part) => Buffer.from(part).toString("base64")));
      await writeFile(
        file,
        `import { writeSync } from "node:fs";
         for (const [at, part] of ${chunks}.entries()) {
           writeSync(1 + (at % 2), Buffer.from(part, "base64"));
           if (at % 5 === 4) await new Promise(setImmediate);
         }`,
      );
      const child = await start([process.execPath, file]);
      expect(await readAll(child.output)).toBe(Buffer.concat(parts).toString("latin1"));
      expect((await child.exited).code).toBe(0);
    });
    await fc.assert(model, walks(12));
  });

  test("may be a line of one gigabyte: nothing is lost and the memory stays flat", async () => {
    const { bash } = await givenChildren();
    const child = await bash("head -c 1000000000 /dev/zero | tr '\\0' x");
    const before = process.memoryUsage.rss();
    let end = 0;
    let most = 0;
    for await (const { bytes, offset } of child.output) {
      if (offset !== end || bytes[0] !== 120 || bytes.at(-1) !== 120) throw new Error("torn");
      end = offset + bytes.length;
      child.output.release(end);
      most = Math.max(most, process.memoryUsage.rss());
    }
    expect(end).toBe(1_000_000_000);
    expect(most - before).toBeLessThan(120 * mebibyte);
    expect((await child.exited).code).toBe(0);
  });

  test("waits for its reader, within a bound, and is whole", async () => {
    const { bash } = await givenChildren();
    const child = await bash("seq 1 6000000; echo end >&2");
    await expect.poll(() => unreadBytes(child)).toBeGreaterThanOrEqual(12 * mebibyte);
    expect(existsSync(path.join(child.manifest.dir, "code"))).toBe(false);
    expect(unreadBytes(child)).toBeLessThanOrEqual(16 * mebibyte);
    const { size, digest } = await digestOf(child.output);
    const wanted = createHash("sha256");
    for (let at = 1; at <= 6_000_000; at += 1) wanted.update(`${at}\n`);
    expect(digest).toBe(wanted.update("end\n").digest("hex"));
    expect(size).toBeGreaterThan(40 * mebibyte);
  });

  test("is deleted where it was released, and only there", async () => {
    const { bash } = await givenChildren();
    const child = await bash(`head -c ${10 * mebibyte} /dev/zero`);
    let last = 0;
    for await (const { bytes, offset } of child.output) last = offset + bytes.length;
    expect(unreadBytes(child)).toBe(10 * mebibyte);
    child.output.release(5 * mebibyte);
    const left = unreadBytes(child);
    expect(left).toBeGreaterThanOrEqual(5 * mebibyte);
    expect(left).toBeLessThan(10 * mebibyte);
    child.output.release(last);
    expect(unreadBytes(child)).toBe(0);
  });

  test("is over with a child that closed its output early and worked on", async () => {
    const { bash } = await givenChildren();
    const child = await bash("echo a; exec >&- 2>&-; sleep 0.3; exit 3");
    expect(await readAll(child.output)).toBe("a\n");
    expect((await child.exited).code).toBe(3);
  });

  test("ends although a child left somebody behind who holds it", async () => {
    const { bash, executionId } = await givenChildren();
    const child = await bash("echo a; setsid sleep 600 & disown; exit 0");
    expect((await child.exited).code).toBe(0);
    expect(await readAll(child.output)).toBe("a\n");
    await expect.poll(async () => await findMarked(executionId)).toEqual([]);
  });

  test("ends although somebody holds it who bears no mark, and who is let be", async () => {
    const { bash, executionId, cwd } = await givenChildren();
    const child = await bash(
      "env -i setsid bash -c 'echo $$ >pid; while [ ! -e go ]; do sleep 0.2; done' & sleep 0.3; echo a",
    );
    expect((await child.exited).code).toBe(0);
    expect(await readAll(child.output)).toBe("a\n");
    expect(await findMarked(executionId)).toEqual([]);
    const pid = Number(readFileSync(path.join(cwd, "pid"), "utf8"));
    expect(readStat(pid)).toBeDefined();
    await writeFile(path.join(cwd, "go"), "");
    await expect.poll(() => readStat(pid)).toBeUndefined();
  });

  test("does not end a server that a step leaves for the next one, its output elsewhere", async () => {
    const { bash, executionId } = await givenChildren();
    const child = await bash("sleep 600 >/dev/null 2>&1 & disown; echo a");
    expect(await readAll(child.output)).toBe("a\n");
    expect(await findMarked(executionId)).toHaveLength(1);
  });
});

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChildManifest, ChildSpec } from "../../../agent/processes/child.ts";
import { findChild } from "../../../agent/processes/find-child.ts";
import { adoptChild } from "../../../agent/processes/hold-child.ts";
import { findMarked } from "../../../agent/processes/sweep-marked.ts";
import {
  type ChildPlace,
  givenChildren,
  readAll,
  unreadBytes,
} from "../../support/agent/given-child.ts";
import { walks } from "../../support/model/walks.ts";

const owner = path.join(import.meta.dirname, "..", "..", "support", "agent", "child-owner.ts");
const mebibyte = 1_048_576;
const lines = (count: number) =>
  Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join("");
const printLines = (count: number) =>
  `i=0; while [ $i -lt ${count} ]; do i=$((i+1)); echo line $i; done`;

function runOwner(spec: ChildSpec, copy: string): ChildProcess {
  return spawn(process.execPath, [owner, JSON.stringify(spec), copy], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}

async function kill(process: ChildProcess): Promise<void> {
  process.kill("SIGKILL");
  if (process.exitCode === null && process.signalCode === null) await once(process, "exit");
}

async function untilBorn({ runDir, executionId }: ChildPlace, step = 1): Promise<ChildManifest> {
  const find = () => findChild(runDir, executionId, step);
  await expect.poll(find).toBeDefined();
  const manifest = find();
  if (manifest === undefined) throw new Error("it was born");
  return manifest;
}

const sizeOf = (file: string) => (existsSync(file) ? statSync(file).size : 0);

describe("a child whose agent is killed", () => {
  test("goes on, and whoever takes it over reads every byte once and its true end", async () => {
    const count = 60_000;
    const whole = lines(count);
    const model = fc.asyncProperty(
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 3 }),
      async (kills) => {
        const place = await givenChildren();
        const spec = place.specOf(["bash", "-c", `${printLines(count)}; exit 7`]);
        const copy = path.join(place.cwd, "copy");
        for (const part of kills.toSorted((one, other) => one - other)) {
          const process = runOwner(spec, copy);
          await untilBorn(place);
          const enough = () => sizeOf(copy) >= part * whole.length || process.exitCode !== null;
          await expect.poll(enough, { interval: 1 }).toBe(true);
          await kill(process);
        }
        const had = existsSync(copy) ? readFileSync(copy, "latin1") : "";
        const child = adoptChild(await untilBorn(place), { from: had.length });
        if (child === undefined) throw new Error("nothing to adopt");
        const rest = await readAll(child.output);
        expect(had + rest === whole).toBe(true);
        expect(await child.exited).toMatchObject({ code: 7, why: "exited" });
        await child.remove();
      },
    );
    await fc.assert(model, { ...walks(6), endOnFailure: true });
  });

  test("prints no broken pipe, and waits when nobody reads, without filling the memory", async () => {
    const place = await givenChildren();
    const bytes = 60_000_000;
    const script = `until [ -e go ]; do sleep 0.05; done; head -c ${bytes} /dev/zero; echo $?`;
    const process = runOwner(place.specOf(["bash", "-c", script]), "/dev/null");
    const manifest = await untilBorn(place);
    await kill(process);
    writeFileSync(path.join(place.cwd, "go"), "");
    await expect.poll(() => unreadBytes({ manifest })).toBeGreaterThanOrEqual(12 * mebibyte);
    expect(existsSync(path.join(manifest.dir, "code"))).toBe(false);
    expect(unreadBytes({ manifest })).toBeLessThanOrEqual(16 * mebibyte);
    expect(await findMarked(place.executionId)).not.toEqual([]);
    const child = adoptChild(manifest, { from: 0 });
    if (child === undefined) throw new Error("nothing to adopt");
    let end = 0;
    for await (const chunk of child.output) {
      end = chunk.offset + chunk.bytes.length;
      child.output.release(end);
    }
    expect(end).toBe(bytes + 2);
    expect((await child.exited).code).toBe(0);
  });

  test("that ended meanwhile is read to its end by its exit code on record", async () => {
    const place = await givenChildren();
    const copy = path.join(place.cwd, "copy");
    const process = runOwner(
      place.specOf(["bash", "-c", "echo x; sleep 0.3; echo y; kill -TERM $$"]),
      copy,
    );
    const manifest = await untilBorn(place);
    await kill(process);
    await expect.poll(async () => (await findMarked(place.executionId)).length).toBe(0);
    const child = adoptChild(manifest, { from: sizeOf(copy) });
    expect(await child?.exited).toMatchObject({ signal: "SIGTERM", why: "exited" });
    const had = existsSync(copy) ? readFileSync(copy, "latin1") : "";
    expect(had + (child === undefined ? "" : await readAll(child.output))).toBe("x\ny\n");
  });

  test("is stopped by its new owner as its plan says, and not asked twice", async () => {
    const place = await givenChildren();
    const script = "trap 'echo asked' TERM; echo up; while :; do sleep 0.05; done";
    const stop = { signal: "SIGTERM", to: "group", graceMs: 5_000 } as const;
    const child = await place.bash(script, { stop });
    await expect.poll(() => readFileSync(path.join(child.manifest.dir, "0"), "utf8")).toBe("up\n");
    void child.stop();
    await expect
      .poll(() => readFileSync(path.join(child.manifest.dir, "0"), "utf8"))
      .toContain("asked");
    const adopted = adoptChild(child.manifest, { from: 0 });
    await adopted?.stop();
    expect(await adopted?.exited).toMatchObject({ why: "killed", signal: "SIGKILL" });
    expect((await readAll(child.output)).match(/asked/g)).toHaveLength(1);
  });

  test("whose supervisor died, too, is lost, in words, and what is left of it is killed", async () => {
    const place = await givenChildren();
    const child = await place.bash("echo up; sleep 600");
    process.kill(child.manifest.supervisor.pid, "SIGKILL");
    const adopted = adoptChild(child.manifest, { from: 0 });
    expect(await adopted?.exited).toMatchObject({ code: null, why: "lost" });
    expect(await findMarked(place.executionId)).toEqual([]);
  });

  test("is not there to be adopted when its folder has gone or the machine was started anew", async () => {
    const place = await givenChildren();
    const child = await place.bash("true");
    const { manifest } = child;
    await child.exited;
    expect(adoptChild({ ...manifest, bootId: "another" }, { from: 0 })).toBeUndefined();
    await child.remove();
    expect(adoptChild(manifest, { from: 0 })).toBeUndefined();
    expect(findChild(place.runDir, place.executionId, 1)).toBeUndefined();
  });
});

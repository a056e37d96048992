import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  makePrestartedChildren,
  type UnnumberedChild,
} from "../../../agent/jobs/prestarted-children.ts";
import { ChildLost } from "../../../agent/processes/child-error.ts";
import type { ChildSpec } from "../../../agent/processes/child.ts";
import { findChild } from "../../../agent/processes/find-child.ts";
import { adoptChild } from "../../../agent/processes/hold-child.ts";
import { readyChild } from "../../../agent/processes/ready-child.ts";
import { findMarked } from "../../../agent/processes/sweep-marked.ts";
import { givenChildren, readAll } from "../../support/agent/given-child.ts";
import { supervisorsOf } from "../../support/agent/supervisors-of.ts";
import { patiently } from "../../support/run/folder.ts";

const owner = path.join(import.meta.dirname, "..", "..", "support", "agent", "ready-owner.ts");

async function setup() {
  const place = await givenChildren();
  const { runDir, executionId } = place;
  const dirOf = (step: number): string => path.join(runDir, `${executionId}.${step}`);
  const file = path.join(place.cwd, "ready");
  const startOwner = (spec: ChildSpec, then: "waits" | "goes"): ChildProcess =>
    spawn(process.execPath, [owner, JSON.stringify(spec), file, then], {
      stdio: ["ignore", "ignore", "inherit"],
    });
  return {
    ...place,
    dirOf,
    /** Another process makes it ready, and is killed then. */
    killedBefore: async (spec: ChildSpec): Promise<void> => {
      const process_ = startOwner(spec, "waits");
      const ended = once(process_, "exit");
      await expect.poll(() => existsSync(file)).toBe(true);
      expect(supervisorsOf(dirOf(spec.step))).not.toEqual([]);
      process_.kill("SIGKILL");
      await ended;
    },
    /** Another process makes it ready and lets it begin, which is the last that it does. */
    killedAfter: async (spec: ChildSpec): Promise<void> => {
      await once(startOwner(spec, "goes"), "exit");
    },
  };
}

describe("a child that is made ready", () => {
  test("has not begun, and begins when it is told to", async () => {
    const { specOf, runDir, executionId, cwd } = await setup();
    const ready = await readyChild(specOf(["bash", "-c", "touch begun; echo done; exit 3"]));
    expect(ready.isWaiting()).toBe(true);
    expect(findChild(runDir, executionId, 1)).toBeUndefined();
    expect(existsSync(path.join(cwd, "begun"))).toBe(false);
    const before = Date.now();
    const child = await ready.go();
    expect(child.manifest.startedAtMs).toBeGreaterThanOrEqual(before);
    expect(await readAll(child.output)).toBe("done\n");
    expect(await child.exited).toMatchObject({ code: 3, why: "exited" });
    expect(existsSync(path.join(cwd, "begun"))).toBe(true);
    await child.remove();
  });

  test("holds nothing open that was for its supervisor", async () => {
    const { specOf } = await setup();
    const child = await (await readyChild(specOf(["sh", "-c", "ls /proc/$$/fd; true"]))).go();
    expect((await readAll(child.output)).trim().split("\n")).not.toContain("3");
    await child.remove();
  });

  test("leaves nothing when it is not to be", async () => {
    const { specOf, dirOf, cwd } = await setup();
    const ready = await readyChild(specOf(["touch", "begun"]));
    await ready.drop();
    expect(existsSync(dirOf(1))).toBe(false);
    await expect.poll(() => supervisorsOf(dirOf(1))).toEqual([]);
    expect(existsSync(path.join(cwd, "begun"))).toBe(false);
  });

  test("cannot begin any more when its supervisor was killed", async () => {
    const { specOf, dirOf } = await setup();
    const ready = await readyChild(specOf(["true"]));
    // The first of them may just be starting the others.
    const killAll = (): number[] => {
      const found = supervisorsOf(dirOf(1));
      found.forEach(kill);
      return found;
    };
    await expect.poll(() => existsSync(path.join(dirOf(1), "0"))).toBe(true);
    await expect.poll(killAll).toEqual([]);
    await expect.poll(ready.isWaiting).toBe(false);
    await expect(ready.go()).rejects.toThrow("could not be started");
    expect(existsSync(dirOf(1))).toBe(false);
  });

  test("is ended, and told as lost, when its folder goes before it is seen to run", async () => {
    const { specOf, dirOf, executionId } = await setup();
    const ready = await readyChild(specOf(["sleep", "600"]));
    await expect.poll(() => existsSync(path.join(dirOf(1), "0"))).toBe(true);
    for (const pid of supervisorsOf(dirOf(1))) process.kill(pid, "SIGSTOP"); // so that it is not seen
    const going = ready.go();
    rmSync(dirOf(1), patiently);
    await expect(going).rejects.toThrow(ChildLost);
    await expect.poll(async () => await findMarked(executionId)).toEqual([]);
    await expect.poll(() => supervisorsOf(dirOf(1))).toEqual([]);
  });

  test("waits no longer when its folder has gone, and leaves nothing", async () => {
    const { specOf, dirOf } = await setup();
    const [one, other] = [
      await readyChild(specOf(["true"])),
      await readyChild(specOf(["true"], { step: 2 })),
    ];
    for (const step of [1, 2]) rmSync(dirOf(step), patiently);
    expect(one.isWaiting()).toBe(false);
    await one.drop();
    await expect(other.go()).rejects.toThrow("Cannot create the folder");
    for (const step of [1, 2]) await expect.poll(() => supervisorsOf(dirOf(step))).toEqual([]);
  });

  test("goes without having begun when its agent is killed", async () => {
    const { specOf, dirOf, cwd, runDir, executionId, killedBefore } = await setup();
    await killedBefore(specOf(["touch", "begun"]));
    await expect.poll(() => supervisorsOf(dirOf(1))).toEqual([]);
    expect(findChild(runDir, executionId, 1)).toBeUndefined();
    expect(existsSync(path.join(cwd, "begun"))).toBe(false);
  });

  test("goes on when its agent is killed as soon as it has begun", async () => {
    const { specOf, runDir, executionId, killedAfter } = await setup();
    await killedAfter(specOf(["bash", "-c", "sleep 0.2; echo done; exit 4"]));
    const manifest = findChild(runDir, executionId, 1);
    const child = manifest && adoptChild(manifest, { from: 0 });
    if (child === undefined) throw new Error("nothing to adopt");
    expect(await readAll(child.output)).toBe("done\n");
    expect(await child.exited).toMatchObject({ code: 4, why: "exited" });
    await child.remove();
  });
});

describe("the children that a job makes ready", () => {
  async function ahead() {
    const place = await setup();
    const { executionId, specOf } = place;
    const unnumbered = (argv: readonly string[]): UnnumberedChild => {
      const { step: _, ...rest } = specOf(argv);
      return rest;
    };
    const open = () =>
      makePrestartedChildren(place.runDir, { execution_id: executionId, children: {} });
    return { ...place, unnumbered, open };
  }

  test("are taken as they were made, once", async () => {
    const { open, unnumbered } = await ahead();
    const children = open();
    children.make("plan", unnumbered(["true"]));
    const ready = await children.take("plan", unnumbered(["true"]));
    expect(ready?.spec.step).toBe(1);
    expect(await children.take("plan", unnumbered(["true"]))).toBeUndefined();
    await ready?.drop();
  });

  test("are nothing to the child that runs meanwhile when they cannot be made", async () => {
    const { unnumbered, executionId } = await ahead();
    const unreadable = `/${"x".repeat(300)}`; // ENAMETOOLONG
    const children = makePrestartedChildren(unreadable, {
      execution_id: executionId,
      children: {},
    });
    children.make("plan", unnumbered(["true"]));
    expect(await children.take("plan", unnumbered(["true"]))).toBeUndefined();
    await children.close();
  });

  test("are not taken for another command", async () => {
    const { open, unnumbered, dirOf } = await ahead();
    const children = open();
    children.make("plan", unnumbered(["true"]));
    expect(await children.take("hook", unnumbered(["true"]))).toBeUndefined();
    expect(await children.take("plan", unnumbered(["false"]))).toBeUndefined();
    await children.close();
    expect(existsSync(dirOf(1))).toBe(false);
    await expect.poll(() => supervisorsOf(dirOf(1))).toEqual([]);
  });

  test("never have a number that another one had, whoever made it", async () => {
    const { open, unnumbered, specOf, killedBefore } = await ahead();
    await killedBefore(specOf(["true"], { step: 4 }));
    const children = open();
    expect([children.nextNumber(), children.nextNumber()]).toEqual([5, 6]);
    children.make("plan", unnumbered(["true"]));
    const ready = await children.take("plan", unnumbered(["true"]));
    expect(ready?.spec.step).toBe(7);
    await ready?.drop();
    expect(children.nextNumber()).toBe(8);
  });

  test("are gone when the job is closed, also one that is just being made", async () => {
    const { open, unnumbered, dirOf } = await ahead();
    const children = open();
    children.make("init", unnumbered(["true"]));
    children.make("plan", unnumbered(["true"]));
    await children.close();
    for (const step of [1, 2]) {
      await expect.poll(() => supervisorsOf(dirOf(step))).toEqual([]);
      expect(existsSync(dirOf(step))).toBe(false);
    }
    children.make("show", unnumbered(["true"]));
    expect(await children.take("show", unnumbered(["true"]))).toBeUndefined();
  });
});

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it has gone meanwhile
  }
}

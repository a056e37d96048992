import { existsSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Child } from "../../../agent/processes/child.ts";
import { readStat } from "../../../agent/processes/process-identity.ts";
import { findMarked, sweepMarked } from "../../../agent/processes/sweep-marked.ts";
import { givenChildren, readAll } from "../../support/agent/given-child.ts";
import { patiently } from "../../support/run/folder.ts";

const patient = { signal: "SIGTERM", to: "group", graceMs: 20_000 } as const;
const hasty = { ...patient, graceMs: 100 };

/** Waits until the child has printed this. */
async function untilPrinted(child: Child, text: string): Promise<void> {
  await expect.poll(() => printed(child)).toContain(text);
}

function printed({ manifest }: Child): string {
  const segment = path.join(manifest.dir, "0");
  return existsSync(segment) ? readFileSync(segment, "utf8") : "";
}

describe("stopping a child", () => {
  test("asks it, and waits for what it does about that", async () => {
    const { bash } = await givenChildren();
    const child = await bash(`trap 'echo cleaned; exit 5' TERM; echo up; sleep 600 & wait`, {
      stop: patient,
    });
    await untilPrinted(child, "up");
    await child.stop();
    expect(await child.exited).toEqual({
      code: 5,
      signal: null,
      why: "killed",
      words: "was stopped by SIGTERM and exited with code 5",
    });
    expect(await readAll(child.output)).toBe("up\ncleaned\n");
  });

  test("asks the whole group, or its leader alone, as the plan says", async () => {
    const script = `trap 'echo leader' INT TERM
      bash -c 'trap "echo member; exit" INT TERM; echo up; sleep 600 & wait' & wait; wait; echo over`;
    const { bash } = await givenChildren();
    const group = await bash(script, { step: 1, stop: { ...patient, graceMs: 10_000 } });
    await untilPrinted(group, "up");
    await group.stop();
    expect(await readAll(group.output)).toMatch(/member/);

    const leader = await bash(script, {
      step: 2,
      stop: { signal: "SIGINT", to: "leader", graceMs: 5_000 },
    });
    await untilPrinted(leader, "up");
    await leader.stop();
    const told = await readAll(leader.output);
    expect(told).toContain("leader");
    expect(told).not.toContain("member");
  });

  test("kills it when it does not heed the signal within its grace, and says so", async () => {
    const { bash, executionId } = await givenChildren();
    const child = await bash(`trap '' TERM; echo up; while :; do sleep 1; done`, { stop: hasty });
    await untilPrinted(child, "up");
    await child.stop();
    expect(await child.exited).toEqual({
      code: null,
      signal: "SIGKILL",
      why: "killed",
      words: "did not end within 0.1 s of SIGTERM and was killed",
    });
    expect(await findMarked(executionId)).toEqual([]);
  });

  test.each([
    ["that was asked before", true],
    ["that nobody has asked yet", false],
  ])("that is to hurry gives it the signal for the second time: one %s", async (_what, isAsked) => {
    const { bash } = await givenChildren();
    const script = `n=0; trap 'n=$((n + 1)); echo asked $n; [ $n -lt 2 ] || exit 7' INT
      echo up; while :; do sleep 0.05; done`;
    const stop = { signal: "SIGINT", to: "leader", graceMs: 60_000, hurryMs: 20_000 } as const;
    const child = await bash(script, { stop });
    await untilPrinted(child, "up");
    const stopped = isAsked ? child.stop() : undefined;
    if (isAsked) await untilPrinted(child, "asked 1");
    await Promise.all([child.hasten(), stopped]);
    expect((await child.exited).code).toBe(7);
    expect(await readAll(child.output)).toBe("up\nasked 1\nasked 2\n");
  });

  test("says how long after the signal it was killed, when somebody had no patience", async () => {
    const { bash } = await givenChildren();
    const child = await bash(`trap 'echo asked' TERM; echo up; while :; do sleep 0.05; done`, {
      stop: patient,
    });
    await untilPrinted(child, "up");
    const stopped = child.stop();
    await untilPrinted(child, "asked");
    await child.kill();
    await stopped;
    expect((await child.exited).words).toMatch(/^was killed [\d.]+ s after SIGTERM$/);
  });

  test("wakes a child that stands still, so that it can heed", async () => {
    const { bash } = await givenChildren();
    const child = await bash(`trap 'exit 6' TERM; echo up; kill -STOP $$; sleep 600`, {
      stop: patient,
    });
    await untilPrinted(child, "up");
    await child.stop();
    expect((await child.exited).code).toBe(6);
  });

  test("ends whoever left the group: sessions of their own and orphans of orphans", async () => {
    const { bash, executionId } = await givenChildren();
    const child = await bash(
      `setsid sleep 601 & (setsid bash -c 'sleep 602 & disown; sleep 603 & disown' &) ; nohup sleep 604 &
       sleep 0.1; echo up; wait`,
      { stop: patient },
    );
    await untilPrinted(child, "up");
    await expect.poll(async () => (await findMarked(executionId)).length).toBeGreaterThanOrEqual(5);
    await child.stop();
    expect(await findMarked(executionId)).toEqual([]);
  });

  test("ends who has erased its environment, whether it heeds the signal or not", async () => {
    const { bash, cwd } = await givenChildren();
    const child = await bash(
      `env -i bash -c 'echo $$ >heeds; exec sleep 605' &
       env -i bash -c 'trap "" TERM; echo $$ >ignores; while :; do sleep 0.1; done' &
       until [ -s heeds ] && [ -s ignores ]; do sleep 0.02; done; echo up; exit 0`,
      { stop: hasty },
    );
    await untilPrinted(child, "up");
    await child.exited;
    await child.stop();
    for (const name of ["heeds", "ignores"]) {
      const pid = Number(readFileSync(path.join(cwd, name), "utf8"));
      expect(readStat(pid)).toBeUndefined();
    }
  });

  test("may be asked for twice, and a second signal is not sent", async () => {
    const { bash } = await givenChildren();
    const child = await bash(
      `n=0; trap 'n=$((n+1)); echo asked $n; [ -e go ] && exit' TERM; echo up; while [ ! -e go ]; do sleep 0.05; done`,
      { stop: { ...patient, graceMs: 5_000 } },
    );
    await untilPrinted(child, "up");
    await Promise.all([child.stop(), child.stop()]);
    expect((await readAll(child.output)).match(/asked/g)).toHaveLength(1);
  });

  test("does nothing to a child that has ended", async () => {
    const { bash } = await givenChildren();
    const child = await bash("exit 4");
    const end = await child.exited;
    await child.stop();
    await child.kill();
    expect(end).toEqual({ code: 4, signal: null, why: "exited", words: "exited with code 4" });
  });

  test("takes no process that bears no mark, nor another step's or another execution's", async () => {
    const { bash, executionId } = await givenChildren();
    const one = await bash("echo up; sleep 600", { step: 1 });
    const two = await bash("echo up; sleep 600", { step: 2 });
    const other = await givenChildren();
    const three = await other.bash("echo up; sleep 600");
    await untilPrinted(two, "up");
    await untilPrinted(three, "up");
    await one.kill();
    expect((await findMarked(executionId, 2)).length).toBeGreaterThan(0);
    expect((await findMarked(other.executionId)).length).toBeGreaterThan(0);
    await sweepMarked(executionId);
    expect(await two.exited).toMatchObject({ signal: "SIGKILL", why: "exited" });
    expect((await findMarked(other.executionId)).length).toBeGreaterThan(0);
  });
});

describe("a script that does harm", () => {
  test("and kills the process above it is lost, in words, and is ended", async () => {
    const { bash, executionId } = await givenChildren();
    const child = await bash("echo before; kill -9 $PPID; echo after; sleep 600");
    const end = await child.exited;
    expect(end).toMatchObject({ code: null, why: "lost" });
    expect(end.words).toContain("its supervising process was killed");
    expect(await readAll(child.output)).toMatch(/^before\n(?:after\n)?$/);
    expect(await findMarked(executionId)).toEqual([]);
  });

  test("and asks the process above it to end, or everybody in its group, hurts only itself", async () => {
    const { bash } = await givenChildren();
    const asks = await bash("kill $PPID; kill -INT $PPID; kill -HUP $PPID; echo here; exit 9", {
      step: 1,
    });
    expect(await asks.exited).toMatchObject({ code: 9 });
    expect(await readAll(asks.output)).toBe("here\n");
    const all = await bash("echo here; kill -9 0", { step: 2 });
    expect(await all.exited).toMatchObject({ signal: "SIGKILL", why: "exited" });
    expect(await readAll(all.output)).toBe("here\n");
  });

  test("and forks a thousand children leaves none", async () => {
    const { bash, executionId } = await givenChildren();
    const child = await bash(
      `for i in $(seq 1000); do (trap '' TERM; exec sleep 600) & done; echo up; wait`,
      { stop: hasty },
    );
    await untilPrinted(child, "up");
    await child.stop();
    expect((await child.exited).why).toBe("killed");
    expect(await findMarked(executionId)).toEqual([]);
  });

  test("and forks faster than one can count leaves none", async () => {
    const { bash, executionId } = await givenChildren();
    const child = await bash(
      `bomb() { for i in 1 2 3; do (setsid bash -c 'while :; do (sleep 0.2 &) ; sleep 0.05; done' &) ; done; }
       for j in 1 2 3 4 5; do bomb; done; echo up; sleep 600`,
      { stop: hasty },
    );
    await untilPrinted(child, "up");
    await child.kill();
    expect(await findMarked(executionId)).toEqual([]);
  });

  test("and deletes its working directory ends as it ends", async () => {
    const { bash, cwd } = await givenChildren();
    const child = await bash(`rm -rf "$PWD"; echo gone; exit 2`);
    expect(await child.exited).toMatchObject({ code: 2, why: "exited" });
    expect(await readAll(child.output)).toBe("gone\n");
    expect(existsSync(cwd)).toBe(false);
  });

  test("and deletes what carries its output is lost, in words", async () => {
    const { bash, runDir, executionId } = await givenChildren();
    const child = await bash("echo up; sleep 600");
    await untilPrinted(child, "up");
    await rm(runDir, patiently);
    expect(await child.exited).toMatchObject({ why: "lost" });
    expect(await findMarked(executionId)).toEqual([]);
    await readAll(child.output);
  });
});

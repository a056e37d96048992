import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { watchStorage } from "./watch-storage.ts";

const mostBytes = 2 ** 20;
const enough = 2 ** 30;

/** A folder on a disk of which we say what is free, and a `du` that takes as long as we want. */
async function setup() {
  const folder = await mkdtemp(path.join(tmpdir(), "svc-watch-"));
  const programs = await mkdtemp(path.join(tmpdir(), "svc-watch-programs-"));
  const [go, calls] = [path.join(programs, "go"), path.join(programs, "calls")];
  const script = `#!/bin/sh\nwhile [ ! -e ${go} ]; do sleep 0.02; done\necho >>${calls}\nexec /usr/bin/du "$@"\n`;
  await writeFile(path.join(programs, "du"), script, { mode: 0o755 });
  let free = enough;
  const freeBytes = vi.fn<() => Promise<number>>(async () => await Promise.resolve(free));
  const acts = {
    over: vi.fn<() => void>(),
    hold: vi.fn<() => void>(),
    release: vi.fn<() => void>(),
  };
  const watch = watchStorage(
    {
      folder,
      mostBytes,
      leastFree: 0,
      except: "kept",
      enter: [],
      path: `${programs}:/usr/bin:/bin`,
      freeBytes,
    },
    acts,
  );
  onTestFinished(async () => {
    await writeFile(go, "");
    watch.stop();
    for (const one of [folder, programs]) await rm(one, { recursive: true });
  });
  return {
    acts,
    watch,
    /** Resolves once the disk was asked so often again. */
    glances: async (count: number) => {
      const before = freeBytes.mock.calls.length;
      const asked = (): number => freeBytes.mock.calls.length - before;
      await expect.poll(asked).toBeGreaterThanOrEqual(count);
    },
    fill: async (bytes: number, name = "big") => {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
      await writeFile(path.join(folder, name), Buffer.alloc(bytes, 1));
    },
    /** How often it has looked: by its bytes, and by its files. */
    looks: async () => (await readFile(calls, "utf8").catch(() => "")).length / 2,
    take: (bytes: number) => void (free -= bytes),
    answer: async () => await writeFile(go, ""),
  };
}

test("a build waits while nobody knows what it takes, and is over once that is too much", async () => {
  const { acts, watch, glances, fill, take, answer } = await setup();
  await fill(2 * mostBytes);
  await glances(1);
  take(2 * mostBytes);
  await expect.poll(() => acts.hold.mock.calls.length).toBe(1);
  expect(acts.over).not.toHaveBeenCalled();
  await answer();
  await expect.poll(() => watch.isOver()).toBe(true);
  expect(acts.over).toHaveBeenCalledTimes(1);
  expect(acts.release).not.toHaveBeenCalled();
});

test("it goes on where others have filled the disk, and is not held for them again", async () => {
  const { acts, watch, glances, fill, take, answer } = await setup();
  await fill(mostBytes / 4);
  await glances(1);
  take(2 * mostBytes);
  await expect.poll(() => acts.hold.mock.calls.length).toBe(1);
  await answer();
  await expect.poll(() => acts.release.mock.calls.length).toBe(1);
  await glances(3);
  expect(acts.hold).toHaveBeenCalledTimes(1);
  expect(watch.isOver()).toBe(false);
});

test("a folder over half of its bound is not looked at all the time, but when more is gone", async () => {
  const { acts, watch, glances, fill, take, answer, looks } = await setup();
  await answer();
  await fill((5 * mostBytes) / 8);
  await fill(2 * mostBytes, "kept/layers"); // it does not count
  await glances(1);
  take((5 * mostBytes) / 8);
  await expect.poll(looks).toBe(1);
  await glances(6);
  expect(await looks()).toBe(1);
  take(mostBytes / 4);
  await expect.poll(looks).toBe(2);
  expect(acts.hold).not.toHaveBeenCalled();
  expect(watch.isOver()).toBe(false);
});

import { existsSync, readdirSync } from "node:fs";
import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sweepLayers } from "./sweep-layers.ts";

const gone = 2 ** 22 + 1; // no process has such a number

/** Layers of components, of 1000 bytes each; those before were used before. */
async function given(...places: readonly string[]): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "svc-layers-"));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  for (const [at, place] of places.entries()) {
    const blobs = path.join(folder, place, "blobs", "sha256");
    await mkdir(blobs, { recursive: true });
    await writeFile(path.join(blobs, "a"), Buffer.alloc(1000));
    if (place.startsWith("new-")) continue;
    await utimes(path.join(folder, place.split("/")[0] ?? ""), at, at);
  }
  return folder;
}

test("what killed builds have left goes, and what is more than may be kept with what is made now", async () => {
  const made = [`new-${gone}-a`, `new-${process.pid}-b`];
  const folder = await given("a/1-x", "b/2-x", "c/1-x", ...made);
  const long = path.join(folder, `new-${process.pid}-c`);
  await mkdir(long);
  await utimes(long, 1, 1); // its process's number was given again
  await sweepLayers(folder, 3500);
  expect(readdirSync(folder).toSorted()).toEqual(["b", "c", `new-${process.pid}-b`]);
  await sweepLayers(folder, 2500);
  expect(readdirSync(folder).toSorted()).toEqual(["c", `new-${process.pid}-b`]);
});

test("where none may be kept, none are", async () => {
  const folder = await given("a/1-x", `new-${process.pid}-b`);
  await sweepLayers(folder, 0);
  expect(existsSync(folder)).toBe(false);
  await sweepLayers(folder, 0);
  await sweepLayers(folder, 1);
});

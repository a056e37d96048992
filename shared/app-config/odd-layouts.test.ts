import fc from "fast-check";
import { expect, test } from "vitest";
import { anyLayout } from "../../test/support/apps/layouts/any-layout.ts";
import { h3Rows } from "../../test/support/apps/layouts/h3-rows.ts";
import type { Kept, Row, Told } from "../../test/support/apps/layouts/layout-piece.ts";
import {
  checkAsArchive,
  checkAsFolder,
  layoutOptions,
} from "../../test/support/apps/layouts/read-layout.ts";
import type { Layout } from "../../test/support/apps/layouts/write-layout.ts";
import { testFolder } from "../../test/support/run/folder.ts";
import { checkConfigDocument } from "./check-config.ts";
import { type ConfigFault, configFaultCodes } from "./config-fault.ts";
import type { AppConfigDocument } from "./config-files.ts";
import { filesOfDocument } from "./files-of-document.ts";

/** So that each run draws the same layouts, which reach every row. */
const drawn = { seed: 45, numRuns: 50 };
const codes: readonly string[] = configFaultCodes;

test("a layout of every row is read the same by each way, and a fault in it is told where it is", async () => {
  const below = await testFolder();
  const rows = new Map<Row, number>();
  const planted = new Set<string>();
  await fc.assert(
    fc.asyncProperty(anyLayout, async ({ sound, faulty, fault, pieces }) => {
      const refusedUrl: Row[] = fault.code === "remote_contents" ? ["a text from a URL"] : [];
      for (const row of [...sound.rows, ...refusedUrl]) rows.set(row, (rows.get(row) ?? 0) + 1);
      planted.add(fault.code);
      const read = await checkAsFolder(sound, below);
      expect(read.errors).toEqual([]);
      expect(inOrder(read.warnings)).toEqual(toldOf(sound, false));
      const { document = { metadata: { name: "" } }, checksum } = read.config ?? {};
      const kept: readonly Kept[] = pieces.flatMap(({ keeps = [] }) => keeps);
      expect(kept.map((one) => keptOf(document, one))).toMatchObject(kept.map(([, , has]) => has));
      const archived = await checkAsArchive(sound);
      const again = await checkConfigDocument(filesOfDocument(document), layoutOptions);
      expect([archived.config?.checksum, again.config?.checksum]).toEqual([checksum, checksum]);
      const refused = await checkAsFolder(faulty, below);
      expect([inOrder(refused.errors), refused.config]).toEqual([toldOf(faulty, true), undefined]);
    }),
    drawn,
  );
  expect(h3Rows.filter((row) => (rows.get(row) ?? 0) < 3)).toEqual([]);
  expect(planted.size).toBeGreaterThanOrEqual(20);
});

/** What of a document a piece says that is kept. */
function keptOf(document: AppConfigDocument, [section, name]: Kept): unknown {
  const value = section
    .split(".")
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document);
  const things = value as readonly { readonly name: string }[] | undefined;
  return name === "" ? value : things?.find((one) => one.name === name);
}

const wordsOf = (told: Told): string => told.join(" ");

function inOrder(faults: readonly ConfigFault[]): string[] {
  return faults
    .filter(({ code }) => code !== "unused_input") // what reads an input is drawn, too
    .map(({ code, file, line, column }) => wordsOf([code, file, line, column]))
    .toSorted();
}

/** What is told of a layout: its faults, or its warnings. */
function toldOf({ told }: Layout, areFaults: boolean): string[] {
  return told
    .filter(([code]) => codes.includes(code) === areFaults)
    .map(wordsOf)
    .toSorted();
}

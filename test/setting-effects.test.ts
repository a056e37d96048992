import { expect, test } from "vitest";
import { runnerSettingsChangesSchema } from "../shared/api/runner-settings.ts";
import { runnerSettingEffects, type SettingEffect } from "../shared/runner-setting-effects.ts";
import { sourceFiles } from "./support/run/source-files.ts";

const files = await sourceFiles();
const effects = Object.entries(runnerSettingEffects);

/** Where the program that a setting changes reads it. */
const readers: Readonly<Record<Exclude<SettingEffect["by"], "nobody">, RegExp>> = {
  "svc-agent": /^agent\/(?!mng\/|client\/|config\/)/,
  "svc-agent mng": /^agent\/mng\//,
  broker: /^broker\/(?!runner-groups\/|audit\/|dashboard\/)/, // pages only show it
};

const isRead = (name: string, place: RegExp): boolean =>
  files.some(
    (file) =>
      place.test(file.name) &&
      !file.name.endsWith(".test.ts") &&
      new RegExp(`\\b${name}\\b`).test(file.text),
  );

/** Read by SQL alone, or a word that jobs have, too. */
const unsearched = ["groups", "job_group_parallelism", "job_group_max_depth", "metadata"];
const searched = effects.filter(([name]) => !unsearched.includes(name));

test("every setting of a runner group has its row, and no other has", () => {
  expect(effects.map(([name]) => name).sort()).toEqual(
    Object.keys(runnerSettingsChangesSchema.shape).sort(),
  );
});

test.each(searched)("%s has the effect that its row says, and no other", (name, { by }) => {
  const found = Object.entries(readers).flatMap(([program, place]) =>
    isRead(name, place) ? [program] : [],
  );
  expect(found.includes(by)).toBe(by !== "nobody");
  expect(by === "nobody" ? found : []).toEqual([]);
});

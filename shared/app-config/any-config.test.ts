import fc from "fast-check";
import { expect, test } from "vitest";
import { checkTexts, tomlFile } from "../../test/support/apps/config-of.ts";
import { walks } from "../../test/support/model/walks.ts";
import { checkConfigDocument } from "./check-config.ts";
import { nameKey } from "./rules/rule.ts";

const name = fc.stringMatching(/^[a-z][a-z0-9_-]{0,12}$/);
/** Whatever is in it, but for what begins a template or a file's name. */
const text = fc
  .string({ maxLength: 30, unit: "binary" })
  .filter((given) => given.isWellFormed() && !/\{\{|^\.\.?\/|^https?:|\p{Cc}/u.test(given));
const optional: { requiredKeys: [] } = { requiredKeys: [] };

const input = fc.record(
  {
    display_name: text,
    description: text,
    type: fc.constant("string" as const),
    default: text,
    required: fc.boolean(),
    sensitive: fc.boolean(),
  },
  optional,
);
const step = fc.record({
  name: text,
  command: text,
  env_vars: fc.dictionary(fc.stringMatching(/^[A-Z_]{1,8}$/), text),
});
const action = fc.record(
  {
    timeout: fc.oneof(fc.constantFrom("30s", "5m", "1h"), fc.integer({ min: 1e9, max: 3600e9 })),
    approval: fc.boolean(),
    is_healthcheck: fc.boolean(),
    labels: fc.dictionary(fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,9}$/), text),
    triggers: fc.array(
      fc.constantFrom({ type: "manual" }, { type: "cron", cron_schedule: "0 7 * * *" }),
      { maxLength: 3 },
    ),
    steps: fc.array(step, { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: ["steps"] },
);
const json = fc.jsonValue({ maxDepth: 3 }).filter((value) => {
  const text = JSON.stringify(value, (_, one: unknown) =>
    typeof one === "number" && Math.abs(one) > Number.MAX_SAFE_INTEGER ? null : one,
  );
  return !/null|__proto__|\\u0000|"":/.test(text);
});

/** A config by its files, with names that differ by more than `-` and `_`. */
const config = fc
  .record({
    metadata: fc.record({ display_name: text, default_labels: fc.constant({ a: "b" }) }, optional),
    inputs: fc.dictionary(name, input, { maxKeys: 4 }),
    actions: fc.dictionary(name, action, { maxKeys: 4 }),
    vars: fc.dictionary(name, json, { maxKeys: 3 }),
  })
  .map(({ metadata, inputs, actions, vars }) => ({
    "metadata.toml": { name: "shop", ...metadata },
    "inputs.toml": { input: named(inputs) },
    "sandbox.toml": { vars, public_repo: { repo: "r" } },
    actions: Object.fromEntries(
      named(actions).map((one, at) => [
        `${at}.toml`,
        { ...one, steps: one.steps.map((each, nth) => ({ ...each, name: `s${nth}` })) },
      ]),
    ),
  }));

test("any valid config is the same as a directory, as a JSON document, and when it is read again", async () => {
  await fc.assert(
    fc.asyncProperty(config, async (document) => {
      const { actions, ...files } = document;
      const texts = [
        ...Object.entries(files),
        ...Object.entries(actions).map(([file, one]): [string, object] => [`actions/${file}`, one]),
      ].map(([file, table]) => [file, tomlFile(table)]);
      const asFolder = await checkTexts(Object.fromEntries(texts) as Record<string, string>);
      const asDocument = await checkConfigDocument(document);
      expect(asDocument.errors).toEqual([]);
      expect(asFolder.errors).toEqual([]);
      expect(asFolder.config?.text).toBe(asDocument.config?.text);
      const { metadata, inputs, sandbox, actions: again = [] } = asFolder.config?.document ?? {};
      const stored = await checkConfigDocument({
        "metadata.toml": metadata,
        ...(inputs !== undefined && { "inputs.toml": inputs }),
        "sandbox.toml": sandbox,
        actions: Object.fromEntries(again.map((one, at) => [`${at}.toml`, one])),
      });
      expect(stored.config?.checksum).toBe(asFolder.config?.checksum);
    }),
    walks(30),
  );
});

function named<Table>(tables: Readonly<Record<string, Table>>): (Table & { name: string })[] {
  const byKey = new Map(
    Object.entries(tables).map(([given, table]) => [nameKey(given), { ...table, name: given }]),
  );
  return [...byKey.values()];
}

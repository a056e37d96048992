import { expect, test } from "vitest";
import { lookFor, shownStateOf, type StateFacts } from "./install-state.ts";

const secret = "s3cr3t-value";
const facts = (outputs: object) =>
  ({
    org: { id: "org_a", name: "a" },
    app: { id: "app_a", name: "a" },
    runner: { id: "run_a", status: "active" },
    install: { id: "ins_a", name: "a", cloud_platform: "unknown", labels: {} },
    config: { inputs: { input: [{ name: "key", sensitive: true }] }, actions: [{ name: "act" }] },
    inputs: { key: secret },
    variables: {},
    ends: [{ name: "act", id: "iar_a", status: "finished", outputs }],
  }) as unknown as StateFacts;

test("outputs are hidden where a sensitive value stands in them, also as a name", () => {
  const shown = shownStateOf(facts({ open: "x", said: `<${secret}>`, below: { [secret]: 1 } }));
  const outputs = { open: "x", said: "(secret)", below: "(secret)" };
  expect(shown["actions"]).toMatchObject({ act: { id: "iar_a", status: "finished", outputs } });
  expect(JSON.stringify(shown)).not.toContain(secret);
});

test("long secrets are not read anew for each output", () => {
  const names = Array.from({ length: 100 }, (_, at) => `k${at}`);
  const variables = Object.fromEntries(names.map((name) => [name, `${name}${"x".repeat(65_000)}`]));
  const outputs = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`o${at}`, "v"]));
  const shown = shownStateOf({ ...facts(outputs), variables });
  expect(shown["actions"]).toMatchObject({ act: { outputs } });
});

test("where looking for secrets takes too much, every text counts as one of them", () => {
  const isHidden = lookFor([secret, `${"x".repeat(1000)}y`], 3_000);
  const looked = Array.from({ length: 4 }, () => isHidden("x".repeat(1000)));
  expect(looked).toEqual([false, false, true, true]);
});

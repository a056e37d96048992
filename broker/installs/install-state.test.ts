import { expect, test } from "vitest";
import { RenderWork } from "../../shared/app-config/templates/render-work.ts";
import { factsOf } from "../../test/support/installs/state-facts.ts";
import { lookFor, shownStateOf } from "./install-state.ts";

const secret = "s3cr3t-value";
const facts = (outputs: object) => factsOf({ inputs: { key: secret }, outputs: { act: outputs } });

test("outputs are hidden where a sensitive value stands in them, also as a name", () => {
  const given = facts({ open: "x", said: `<${secret}>`, below: { [secret]: 1 } });
  const shown = shownStateOf(given, new RenderWork());
  const outputs = { open: "x", said: "(secret)", below: "(secret)" };
  expect(shown["actions"]).toMatchObject({ act: { id: "iar_act", status: "finished", outputs } });
  expect(JSON.stringify(shown)).not.toContain(secret);
});

test("long secrets are not read anew for each output", () => {
  const names = Array.from({ length: 100 }, (_, at) => `k${at}`);
  const variables = Object.fromEntries(names.map((name) => [name, `${name}${"x".repeat(65_000)}`]));
  const outputs = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`o${at}`, "v"]));
  const shown = shownStateOf({ ...facts(outputs), variables }, new RenderWork());
  expect(shown["actions"]).toMatchObject({ act: { outputs } });
});

test("where looking for secrets takes too much, every text counts as one of them", () => {
  const work = new RenderWork({ outputBytes: 0, steps: 40 });
  const isHidden = lookFor([secret, `${"x".repeat(1000)}y`], work);
  const looked = Array.from({ length: 4 }, () => isHidden("x".repeat(500)));
  expect(looked).toEqual([false, false, true, true]);
  expect(work.isSpent).toBe(true);
});

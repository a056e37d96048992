import { expect, test } from "vitest";
import { renderTemplate } from "../../shared/app-config/templates/render-template.ts";
import { RenderWork } from "../../shared/app-config/templates/render-work.ts";
import { factsOf } from "../../test/support/installs/state-facts.ts";
import { lookFor, shownStateOf, stateOf } from "./install-state.ts";

const secret = "s3cr3t-value";
const facts = (outputs: object) => factsOf({ inputs: { key: secret }, outputs: { act: outputs } });

test("outputs are hidden where a sensitive value stands in them, also as a name", () => {
  const given = facts({ open: "x", said: `<${secret}>`, below: { [secret]: 1 } });
  const shown = shownStateOf(given, new RenderWork());
  const outputs = { open: "x", said: "(secret)", below: "(secret)" };
  expect(shown["actions"]).toMatchObject({ act: { id: "iar_act", status: "finished", outputs } });
  expect(JSON.stringify(shown)).not.toContain(secret);
});

test("each part says whether it is there, also one that is not yet", () => {
  const given = facts({});
  const config = { ...given.config, components: [{ name: "db" }] };
  const state = stateOf({ ...given, config });
  const there = ["org", "app", "install", "inputs", "runner", "actions"];
  const parts = [...there, "sandbox", "domain", "install_stack"];
  const text = `${parts.map((part) => `{{ .svc.${part}.populated }}`).join(" ")} {{ .svc.components.db.name }}`;
  const rendered = renderTemplate(text, { svc: state }, { file: "f", member: "m" });
  expect(rendered.text).toBe(`${"true ".repeat(6)}${"false ".repeat(3)}db`);
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

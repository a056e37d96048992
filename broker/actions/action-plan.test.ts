import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { RenderWork } from "../../shared/app-config/templates/render-work.ts";
import { baseOf, factsOf } from "../../test/support/installs/state-facts.ts";
import { planAction, type PlanTexts } from "./action-plan.ts";

/** The plan of a run of this command, of an install whose sensitive input has this value. */
function planOf(command: string, pin: string): PlanTexts {
  const planned = plannedOf(command, pin);
  if (!("text" in planned)) throw new Error(planned.detail);
  return planned;
}

function plannedOf(command: string, pin: string) {
  const { inputs, variables, ends, outputs } = factsOf({ inputs: { pin } });
  const action = { name: "act", steps: [{ name: "run", command }] };
  const run = { id: "iar_a", configId: null, env: {} };
  const planning = { facts: baseOf(["pin"]), action, run, cause: {} };
  const values = { inputs, variables, ends, outputs };
  return planAction(planning, values, new RenderWork());
}

const digestOf = ({ text }: PlanTexts): string => createHash("sha256").update(text).digest("hex");

test.each([
  [
    "a short text that a sensitive value decides",
    '{{ if eq .svc.inputs.inputs.pin "1234" }}y{{ end }}',
  ],
  ["what is shortened", "{{ .svc.inputs.inputs.pin | trunc 1 }}"],
  ["a guess that an author wrote", "echo 1234"],
  ["a wrong guess that an author wrote", "echo 4321"],
])("the digest of a plan does not tell %s", (_, command) => {
  expect(digestOf(planOf(command, "1234"))).not.toBe(digestOf(planOf(command, "1234")));
});

test("a plan has the names of its steps and the ids that it names beside it", () => {
  const { names, steps } = planOf("true", "1234");
  expect(names).toEqual(["iar_a"]);
  expect(steps).toEqual([{ step_id: "iar_a.1", name: "run", idx: 0 }]);
});

test("a plan that would be longer than 8 MiB with its twin is none, and says so", () => {
  const loop = "{{ range split `` $.svc.name }}";
  const turns = `${loop}${loop}${"x".repeat(2 ** 20)}{{ end }}{{ end }}`;
  const planned = plannedOf(`{{ $.svc.id }}${turns.repeat(5)}`, "1234");
  expect("text" in planned ? planned.text.length : planned).toMatchObject({
    code: "render_failed",
    detail:
      "Its plan, with its masked twin, is longer than 8388608 bytes. Have its steps fetch what is long.",
  });
});

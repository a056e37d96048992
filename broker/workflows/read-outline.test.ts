import { expect, test } from "vitest";
import { outlinePlan } from "./outline-plan.ts";
import { readOutline } from "./read-outline.ts";

/** What children do is done here, and noted. */
function given() {
  const asked: string[] = [];
  const run = (work: { kind: string; bytes: Buffer[] }) => {
    asked.push(work.kind);
    return Promise.resolve(outlinePlan({ asked: {}, bytes: work.bytes }));
  };
  const read = (text: string, shown?: string) =>
    readOutline({ run: run as never }, "org_a", { text, shown });
  return { asked, read };
}

const planOf = (command: string, name = "say it") =>
  JSON.stringify({
    id: "iar_1",
    steps: [{ run_id: "iar_1.1", name, interpolated_command: command }],
  });

test("a short plan is looked into here, a long one or one with a long twin by a child", async () => {
  const { asked, read } = given();
  const step = { step_id: "iar_1.1", idx: 0 };
  const outline = { names: ["iar_1"], steps: [{ ...step, name: "(secret)" }] };
  expect(await read(planOf("true"))).toEqual(outline);
  expect(asked).toEqual([]);
  const long = planOf("true #".repeat(20_000));
  expect(await read(long)).toEqual(outline);
  expect(await read(planOf("true"), long)).toEqual({
    ...outline,
    steps: [{ ...step, name: "say it" }],
  });
  expect(asked).toEqual(["plans.outline", "plans.outline"]);
});

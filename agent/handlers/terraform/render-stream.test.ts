import { describe, expect, test } from "vitest";
import type { ResourceStep } from "../../jobs/open-progress.ts";
import { renderStream } from "./render-stream.ts";
import { openSaid } from "./said.ts";

function setup(kept?: string) {
  const steps: ResourceStep[] = [];
  const renderer = renderStream((step) => void steps.push(step))(kept);
  const show = (record: unknown): string[] =>
    renderer
      .line(typeof record === "string" ? record : JSON.stringify(record))
      .map(({ text }) => text);
  return { renderer, steps, show, said: () => openSaid(renderer.kept()) };
}

const hook = (type: string, action: string) => ({
  type,
  "@message": `a.b: ${type}`,
  "@level": "info",
  hook: { resource: { addr: "a.b" }, action },
});

describe("the records of terraform", () => {
  test("are sentences for people, and steps for programs", () => {
    const { show, steps, said } = setup();
    expect(show({ type: "version", "@message": "Terraform 1.11.4" })).toEqual([]);
    expect(show(hook("apply_start", "create"))).toEqual(["a.b: apply_start"]);
    expect(show(hook("apply_complete", "create"))).toEqual(["a.b: apply_complete"]);
    expect(show(hook("apply_start", "read"))).toEqual(["a.b: apply_start"]);
    expect(steps.map(({ status }) => status)).toEqual(["in-progress", "finished", "in-progress"]);
    expect(said()).toMatchObject({ begun: 1, made: 1, failed: 0 });
  });

  test("show where an error is, and keep it", () => {
    const { show, said } = setup();
    const range = { filename: "main.tf", start: { line: 2, column: 3 } };
    const snippet = { context: 'resource "a" "b"', code: "  inpt = 1", start_line: 2 };
    const diagnostic = { severity: "error", summary: "No", detail: "Why.", range, snippet };
    expect(show({ type: "diagnostic", diagnostic })).toEqual([
      'Error: No\n  on main.tf line 2, in resource "a" "b"\n  2:   inpt = 1\n  Why.',
    ]);
    expect(said().diagnostics).toMatchObject([{ summary: "No", file: "main.tf", line: 2 }]);
  });

  test("name outputs without their values", () => {
    const { show } = setup();
    const outputs = { a: { value: "seen" }, b: { sensitive: true } };
    expect(show({ type: "outputs", "@message": "Outputs: 2", outputs })).toEqual(["Outputs: a, b"]);
  });

  test("pass by what is none of them, and keep its last words", () => {
    const { show, said } = setup();
    expect(show("panic: something")).toEqual(["panic: something"]);
    expect(show("{not json")).toEqual(["{not json"]);
    expect(said().words).toEqual(["panic: something", "{not json"]);
  });

  test("are gone on with where another process of the agent stopped", () => {
    const first = setup();
    first.show(hook("apply_start", "create"));
    const next = setup(first.renderer.kept());
    next.show(hook("apply_errored", "create"));
    expect(next.said()).toMatchObject({ begun: 1, failed: 1 });
  });

  test("are kept within bounds, however many errors there are", () => {
    const { show, renderer } = setup();
    const diagnostic = {
      severity: "error",
      summary: "s".repeat(5_000),
      detail: "d".repeat(50_000),
    };
    for (let nth = 0; nth < 100; nth++) show({ type: "diagnostic", diagnostic });
    expect(renderer.kept().length).toBeLessThan(32_000);
  });
});

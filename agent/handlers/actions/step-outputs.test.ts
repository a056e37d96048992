import { describe, expect, test } from "vitest";
import { makeStepOutputs } from "./step-outputs.ts";

describe("the outputs of a run", () => {
  test("may have the names that objects have by themselves, and so may its steps", () => {
    const outputs = makeStepOutputs();
    for (const name of ["constructor", "__proto__", "toString"]) {
      outputs.set(name, "entries", "1");
      outputs.set("step", name === "__proto__" ? "valueOf" : name, "2");
    }
    expect(JSON.parse(JSON.stringify(outputs.all()))).toEqual(
      JSON.parse(
        `{"entries": "1", "constructor": "2", "valueOf": "2", "toString": "2", "steps": {
          "constructor": {"entries": "1"}, "__proto__": {"entries": "1"}, "toString": {"entries": "1"},
          "step": {"constructor": "2", "valueOf": "2", "toString": "2"}}}`,
      ),
    );
    expect(typeof Object.entries).toBe("function");
    expect({}).not.toHaveProperty("entries");
  });

  test("take a small one after one that was too much", () => {
    const outputs = makeStepOutputs();
    const large = "x".repeat(60_000);
    for (let n = 0; n < 17; n++) outputs.set("one", `v${n}`, large);
    for (let n = 0; n < 3; n++) {
      expect(() => outputs.set("one", "more", large)).toThrow("exceed 1 MiB");
    }
    outputs.set("two", "small", "1");
    expect(outputs.shownOf("two")).toEqual({ small: "1" });
  });

  test("refuse a name whole or not at all: a piece of it may be one of a secret", () => {
    const outputs = makeStepOutputs();
    expect(() => outputs.set("one", "a b", 1)).toThrow('"a b" is not a valid output name');
    expect(() => outputs.set("one", "x".repeat(129), 1)).toThrow("a name of 129 characters");
  });
});

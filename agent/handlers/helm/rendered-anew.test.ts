import { describe, expect, test } from "vitest";
import type { Change } from "../../kubernetes/change.ts";
import { isRenderedAnew } from "./rendered-anew.ts";

const ref = { apiVersion: "apps/v1", kind: "Deployment", namespace: "n", name: "web" };
const changed = (...changes: Change["changes"]): Change => ({
  action: "update",
  ref,
  changes,
  conflicts: [],
  words: "",
});
const rolled = (roll: string, image: string): Change =>
  changed({ path: "roll", before: "0", after: roll }, { path: "image", before: "1", after: image });
const made = (roll: string, image: string): Change => ({
  ...changed({ path: "", after: { roll, containers: [{ image }] } }),
  action: "create",
});

describe("what is rendered anew each time", () => {
  test.each([
    ["an update", rolled],
    ["an object that is made", made],
  ])("may have another value in %s, and nothing else may", (_, rendered) => {
    const shown = rendered("a", "2");
    expect(isRenderedAnew(shown, rendered("b", "2"), rendered("c", "2"))).toBe(true);
    expect(isRenderedAnew(shown, rendered("b", "3"), rendered("c", "3"))).toBe(false);
    expect(isRenderedAnew(shown, rendered("b", "2"), rendered("b", "2"))).toBe(false);
  });

  test("adds no member that was not shown, takes none away and does nothing else", () => {
    const shown = changed({ path: "roll", after: "a" });
    const more = { path: "more", after: "1" };
    const now = changed({ path: "roll", after: "b" });
    const next = changed({ path: "roll", after: "c" });
    expect(isRenderedAnew(shown, now, next)).toBe(true);
    const added = [now, next].map((one) => changed(...one.changes, more)) as [Change, Change];
    expect(isRenderedAnew(shown, ...added)).toBe(false);
    expect(isRenderedAnew(changed(...shown.changes, more), now, next)).toBe(false);
    expect(isRenderedAnew({ ...shown, action: "create" }, now, next)).toBe(false);
  });
});

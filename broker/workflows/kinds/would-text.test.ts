import { expect, test } from "vitest";
import { wouldText } from "./would-text.ts";

const none = { added: 0, changed: 0, replaced: 0, removed: 0 };

test("a plan that is only shown says what it would do, and only a look for drift says that something drifted", () => {
  const counts = { ...none, added: 2, removed: 1 };
  expect(wouldText(counts, false)).toBe("only planned: it would add 2, remove 1");
  expect(wouldText(counts, true)).toBe("it has drifted: to set it back would add 2, remove 1");
  expect(wouldText({ ...none, changed: 3, replaced: 4 }, false)).toBe(
    "only planned: it would change 3, replace 4",
  );
  expect(wouldText(none, false)).toBe("only planned: it would change outputs, but no object");
});

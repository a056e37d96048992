import fc from "fast-check";
import { expect, test } from "vitest";
import { ownPath } from "./own-path.ts";

const here = "https://svc.example/sign-in";

test.each([
  ["/jobs?status=failed", "/jobs?status=failed"],
  ["/jobs#log", "/jobs"],
  ["/a/../runners", "/runners"],
  ["/%5Cevil.example", "/%5Cevil.example"],
  ["/jobs?to=//evil.example", "/jobs?to=//evil.example"],
])("%s is a path of this broker", (next, to) => {
  expect(ownPath(next)).toBe(to);
});

test.each([
  null,
  "",
  "jobs",
  "https://evil.example/",
  "//evil.example/",
  "/\\evil.example",
  "\\\\evil.example",
  "/.//evil.example",
  "/..//evil.example",
  "/%2e//evil.example",
  "/.%2E//evil.example",
  "/a/..//evil.example",
  "/.\\\\evil.example",
  "/./\\evil.example",
  "/\t/evil.example",
  "/.\n//evil.example",
  "/.\r/\t/evil.example",
  "/\t.//evil.example",
  "///evil.example",
  "/.///evil.example",
  "/@evil.example/../..//evil.example",
  "http:/.//evil.example",
  "javascript:alert(1)",
])("%j leads to the start, never to another site", (next) => {
  expect(ownPath(next)).toBe("/");
});

test("whatever is asked for, the browser stays at this broker", () => {
  const pieces = [
    "/",
    "\\",
    ".",
    "%2e",
    "%2F",
    "\t",
    "\n",
    "@",
    ":",
    "?",
    "#",
    "evil.example",
    "a",
  ];
  const asked = fc.array(fc.constantFrom(...pieces), { maxLength: 8 });
  fc.assert(
    fc.property(asked, (parts) => {
      const to = ownPath(parts.join(""));
      expect(to).toMatch(/^\/(?!\/)/);
      expect(new URL(to, here).origin).toBe(new URL(here).origin);
    }),
    { numRuns: 2_000 },
  );
});

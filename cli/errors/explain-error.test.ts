import { expect, test } from "vitest";
import { BrokerUnreachable } from "../../shared/api/broker-errors.ts";
import { problem } from "../../shared/problem.ts";
import { explainError } from "./explain-error.ts";

const failure = (name: string, code: string) =>
  Object.assign(new Error("words of its own"), { name, code });

test.each([
  ["Error", "ECONNREFUSED", 6],
  ["Error", "EAI_AGAIN", 6],
  ["Error", "CONNECT_TIMEOUT", 6],
  ["PostgresError", "57P03", 6], // it starts
  ["PostgresError", "53300", 6], // too many connections
  ["PostgresError", "28P01", 1], // a wrong password
  ["PostgresError", "3D000", 1], // no such database
])(
  "a database that may be there later is worth another try: %s %s ends with %i",
  (name, code, exit) => {
    const explained = explainError(failure(name, code));
    expect(explained.code).toBe(exit);
    expect(explained.words[0]).toMatch(/^The database /);
  },
);

test("a refusal says each fault once, with its place", () => {
  const fault = (name: string) =>
    ({ pointer: `#/${name}`, code: "required", detail: "Required. Must be a string." }) as const;
  expect(explainError(problem.invalid([fault("name")])).words).toEqual([
    "#/name: Required. Must be a string.",
  ]);
  expect(explainError(problem.invalid([fault("name"), fault("type")])).words).toEqual([
    "The request has 2 faults:",
    "  #/name  Required. Must be a string.",
    "  #/type  Required. Must be a string.",
  ]);
});

test("a broker that is not there is told how to be had, where it is to be here", () => {
  const hintFor = (url?: string): string | undefined =>
    explainError(new BrokerUnreachable("No broker.", url === undefined ? {} : { url })).words[1];
  for (const here of ["http://127.0.0.1:8420", "http://localhost:8420", "http://[::1]:1"])
    expect(hintFor(here)).toBe("Start one with: svc dev");
  expect(hintFor("https://svc.example.com")).toContain("svc auth status");
  expect(hintFor()).toBeUndefined(); // its connection broke
});

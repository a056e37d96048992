import { describe, expect, test } from "vitest";
import type { CommandEnd } from "../../jobs/stored-execution.ts";
import { classify, lockIdIn, type TerraformClass } from "./classify.ts";
import type { Diagnostic, Said } from "./said.ts";

const failed: CommandEnd = { code: 1, why: "exited", words: "exited with code 1", tookMs: 1 };

function said(...diagnostics: Partial<Diagnostic>[]): Said {
  const whole = { severity: "error", summary: "", detail: "" } as const;
  const all = diagnostics.map((one) => ({ ...whole, ...one }));
  return { diagnostics: all, begun: 0, made: 0, failed: 0, words: [] };
}

const cases: readonly (readonly [TerraformClass, Partial<Diagnostic>])[] = [
  ["plan_stale", { summary: "Saved plan is stale" }],
  ["state_lock", { summary: "Error acquiring the state lock", detail: "already locked: ID=x" }],
  ["workspace_blocked", { summary: "Error acquiring the state lock", detail: "ID=blocked: why" }],
  ["state_push_failed", { summary: "Failed to save state", detail: "HTTP error: 403" }],
  ["registry", { summary: "Failed to query", detail: "could not connect to\nregistry.example" }],
  ["provider_install", { summary: "Failed to install provider", detail: "no space" }],
  ["lockfile", { summary: "Failed to install provider", detail: "checksums previously\nrecorded" }],
  ["lockfile", { summary: "Inconsistent dependency lock file" }],
  ["module_install", { summary: "Failed to download module" }],
  ["auth", { summary: "creating bucket", detail: "api error AccessDenied: no", address: "a.b" }],
  ["auth", { summary: "Error", detail: "HTTP error: 401" }],
  ["quota", { summary: "creating vpc", detail: "VpcLimitExceeded: the maximum", address: "a.b" }],
  ["provider_crash", { summary: "Plugin did not respond" }],
  ["variable_missing", { summary: "No value for required variable", file: "main.tf", line: 1 }],
  ["config_invalid", { summary: "Unsupported argument", file: "main.tf", line: 2 }],
  ["terraform_failed", { summary: "it broke", file: "main.tf", line: 2, address: "a.b" }],
];

describe("a run of terraform that failed", () => {
  test.each(cases)("is %s by what it says: %j", (kind, diagnostic) => {
    expect(classify(failed, said(diagnostic))).toMatchObject({ class: kind });
  });

  test("is told by its cause, not by what only followed", () => {
    const follows = { summary: "Terraform encountered problems during initialisation" };
    const main = { summary: "Invalid expression", file: "main.tf", line: 3 };
    const found = classify(failed, said(follows, main));
    expect(found).toMatchObject({ class: "config_invalid", main: { line: 3 } });
  });

  test("is told by how it ended, where it says nothing", () => {
    expect(classify({ ...failed, why: "out-of-memory" }, said())).toMatchObject({ class: "oom" });
    expect(classify({ ...failed, why: "lost" }, said())).toMatchObject({ class: "lost" });
  });

  test("names the lock that was in its way", () => {
    const detail = "HTTP remote state already locked: ID=b1c5-22\nLock Info:\n  ID: other";
    expect(lockIdIn({ severity: "error", summary: "", detail })).toBe("b1c5-22");
  });
});

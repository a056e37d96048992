import { expect, test } from "vitest";
import { pages } from "./pages.ts";
import { wayBack } from "./way-back.ts";

test.each([
  ["/jobs/job_1/cancel", "/jobs/job_1"],
  ["/runners/run_1/processes/prc_1/shutdown", "/runners/run_1"],
  ["/workspaces/tfw_1/revisions/3", "/workspaces/tfw_1"],
  ["/tokens/tok_1/revoke", "/tokens"],
  ["/nowhere", "/"],
  ["/", "/"],
])("from %s, of a thing that is there, leads to %s", (address, to) => {
  expect(wayBack(pages, address, false)).toBe(to);
});

test.each([
  ["/jobs/job_1/cancel", "/jobs"],
  ["/runners/run_1", "/runners"],
  ["/signals/sig_1/cancel", "/"],
])("from %s, of a thing that is gone, leads to %s", (address, to) => {
  expect(wayBack(pages, address, true)).toBe(to);
});

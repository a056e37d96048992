import { expect, test } from "vitest";
import { deployStatuses } from "./deploy-statuses.ts";
import { deployWord, deployWords, deployWordV2, shownDeployWord } from "./deploy-words.ts";

test("each status of a deploy has a word that clients know", () => {
  for (const type of ["apply", "provision", "deprovision"] as const)
    for (const status of deployStatuses) expect(deployWords).toContain(deployWord(status, type));
});

test("clients read some statuses by other words, and of sandboxes by words of their own", () => {
  expect(deployWord("approval-awaiting", "apply")).toBe("pending-approval");
  expect(deployWord("drifted", "apply")).toBe("drift-detected");
  expect(deployWord("discarded", "apply")).toBe("retried");
  const working = ["apply", "teardown", "provision", "reprovision", "deprovision"] as const;
  expect(working.map((type) => deployWord("applying", type))).toEqual([
    "executing",
    "executing",
    "provisioning",
    "provisioning",
    "deprovisioning",
  ]);
  expect(deployWord("inactive", "teardown")).toBe("inactive");
  expect(deployWord("inactive", "deprovision")).toBe("deprovisioned");
});

test("people read of what was only planned whether it would change something, and never of drift", () => {
  const planned = deployStatuses.map((status) =>
    shownDeployWord({ status: deployWord(status, "apply"), plan_only: true }),
  );
  expect(planned).toEqual(expect.arrayContaining(["would change", "no change", "planning"]));
  expect(planned.filter((word) => word.includes("drift"))).toEqual([]);
  expect(shownDeployWord({ status: "active", plan_only: false })).toBe("active");
});

test("what is torn down has succeeded", () => {
  expect(deployWordV2("inactive")).toBe("success");
  expect(deployWordV2("active")).toBe("active");
});

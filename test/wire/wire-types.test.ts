import { expect, test } from "vitest";
import { theirStatuses } from "../../shared/their-status.ts";
import { routeKey, type WireType, wireObjects, wireOperations, wireWords } from "./wire-types.ts";

/** Types that the facts name and say nothing of. */
const undescribed = [
  "AppLatestRunnerHeartBeat",
  "AppRunnerJobExecutionOutputsOutputsAdditionalProperty",
  "OutputsSecretSyncOutput",
  "PermissionsPermission",
  "ServiceAppGroupRequest",
  "ServiceAppInputRequest",
  "StateActionWorkflowState",
];

test("every operation is read, and every type that one names is there", () => {
  expect(wireOperations.length).toBe(451);
  const types = [
    ...wireOperations.flatMap(({ answers, body }) => [...answers.values(), body]),
    ...[...wireObjects.values()].flatMap((members) => [...members.values()].map((m) => m.type)),
  ];
  const missing = types
    .flatMap(namesIn)
    .filter((name) => !wireObjects.has(name) && !wireWords.has(name));
  expect([...new Set(missing)].toSorted()).toEqual(undescribed);
});

test("composite statuses of other clients have the words that they know", () => {
  expect(theirStatuses).toEqual(wireWords.get("Status"));
});

test("paths are equal whatever their ids are called", () => {
  expect(routeKey("get", "/v1/apps/{app_id}/configs/{config_id}")).toBe(
    routeKey("GET", "/v1/apps/{a}/configs/{b}"),
  );
});

function namesIn(type: WireType): string[] {
  if (type.kind === "named") return [type.name];
  return "of" in type ? namesIn(type.of) : [];
}

import { expect, test } from "vitest";
import { namedInRequest, operations } from "./support/broker/named-places.ts";
import { endpoints } from "./support/broker/route-rules.ts";

/** Why a route that changes something asks nothing of installs by its rule, though it names a runner or a group: nothing is asked, or its handler asks. */
const besides: Readonly<Record<string, string>> = {
  cancelJobs: "leaves out what is for an install's runner",
  createRollout: "its handler asks, by the runners that it orders",
  createRunner: "its handler asks, by the group",
  createToken: "its handler asks, by the runner",
  enqueueJob: "its handler asks, and what the plan names",
  enqueueJobs: "its handler asks, and what the plans name",
  flushRunner: "its handler asks, bound tokens as well",
  pruneRunnerTokens: "its command asks, as a revoke does",
  rerunJobs: "each rerun asks",
  createInstall: "takes a group that no install has",
  createInstallOfApp: "takes a group that no install has",
  createLogStream: "writes a log, as machines do",
  enqueueSignal: "what the signal does is asked",
  enqueueSignals: "what the signals do is asked",
};

const naming = /^runner_(group_)?ids?$/;
const inPath = /\{(runner_id|runner_group_id|rollout_id)\}/;

test("whatever changes something of a runner or a group asks what an install asks that has it", () => {
  const inRequests = operations.filter((one) => namedInRequest(one, naming).length > 0);
  const names = new Set(inRequests.map(({ operationId }) => operationId));
  const unasked = endpoints.filter(({ method, path, rule, operationId }) => {
    if (method === "get" || rule.surface === "runner" || rule.operatesRunner === true) return false;
    return inPath.test(path) || names.has(operationId);
  });
  const found = unasked.map(({ operationId }) => operationId);
  expect(found.toSorted()).toEqual(Object.keys(besides).toSorted());
});

test("who is asked names a runner, a group, a rollout or an install by the path", () => {
  const asking = endpoints.filter(({ rule }) => rule.operatesRunner === true);
  expect(asking.length).toBeGreaterThan(20);
  const strange = asking.filter(
    ({ path }) => !/\{(runner_id|runner_group_id|rollout_id|install_id)\}/.test(path),
  );
  expect(strange).toEqual([]);
});

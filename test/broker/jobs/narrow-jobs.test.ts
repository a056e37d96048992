import { expect, test } from "vitest";
import type { RunnerJob } from "../../../shared/api/runner-job.ts";
import { givenOperator } from "../../support/broker/given-operator.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenJob, givenProcess, givenRunner } from "../../support/rows/given.ts";

const at = await givenOperator();
const runner = await givenRunner(at.db, { orgId: at.orgId, groups: ["deploy", "sync"] });
const { runnerId } = runner;
await givenProcess(at.db, runner, { serves: { deploy: 1, sync: 1 } });
const jobs = {
  deploy: await givenJob(at.db, runner, { type: "noop-deploy" }),
  sync: await givenJob(at.db, runner, { type: "noop-sync" }),
};
const ids = async (query: string, path: string, token = at.token) => {
  const { body } = await at.call<RunnerJob[] | { items: RunnerJob[] }>(`GET ${path}${query}`, {
    token,
  });
  return (Array.isArray(body) ? body : body.items).map(({ id }) => id).toSorted();
};
const both = [jobs.deploy, jobs.sync].toSorted();
const places = [
  ["/v1/runner-jobs", "?"],
  [`/v1/runners/${runnerId}/jobs`, "?"],
  [`/v1/runners/${runnerId}/jobs`, "?cursor=&"],
  [`/v1/runners/${runnerId}/jobs`, "?status=available&"],
] as const;

test.each(places)("%s%s is narrowed by several words", async (path, begin) => {
  const list = (query: string) => ids(`${begin}${query}`, path);
  expect(await list("statuses=available,queued")).toEqual(both);
  expect(await list("statuses=available&statuses=finished")).toEqual(both);
  expect(await list("statuses=finished,failed")).toEqual([]);
  expect(await list("statuses=nonsense")).toEqual([]);
  expect(await list("groups=deploy,build")).toEqual([jobs.deploy]);
  expect(await list("groups=sync,nonsense&statuses=available")).toEqual([jobs.sync]);
  expect(await list("groups=nonsense")).toEqual([]);
  expect(await list("executor=x")).toEqual([]);
});

test("a runner's own poll is as it always was", async () => {
  const token = await givenToken(at.db, runner);
  const path = `/v1/runners/${runnerId}/jobs`;
  expect(await ids("?executor=x&groups=nonsense&statuses=finished", path, token)).toEqual(both);
});

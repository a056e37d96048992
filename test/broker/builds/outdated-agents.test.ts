import { expect, test } from "vitest";
import type { ComponentBuild } from "../../../shared/api/builds.ts";
import {
  newestPlans,
  plansWithKyverno,
  plansWithPullSecret,
  plansWithState,
  plansWithVariables,
  runnerJobType,
  runnerJobTypeNames,
} from "../../../shared/runner-job-types.ts";
import type { TestBroker } from "../../support/broker/broker.ts";
import { givenShopOf, shopConfig, shopRepo } from "../../support/builds/given-shop.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { setup } = await givenWorkflowsApi({
  env: { SVC_REGISTRY: "http://registry.example.com:5000/acme" },
});

test("the newest plans are the newest that a type of jobs, or a plan with a state or a pull Secret, needs", () => {
  const needed = runnerJobTypeNames.map((type) => runnerJobType(type).plans ?? 1);
  expect(newestPlans).toBe(
    Math.max(...needed, plansWithState, plansWithPullSecret, plansWithVariables, plansWithKyverno),
  );
});

test("a build is given to no agent of ours that reads older plans, and to those that say nothing", async () => {
  const image = { name: "image", type: "docker_build", public_repo: shopRepo };
  const components = { ...shopConfig.components, "image.toml": image };
  const shop = await givenShopOf(setup, undefined, { ...shopConfig, components });
  const { runner } = shop.builder;
  const [broker] = shop.brokers as [TestBroker];
  const token = await givenToken(shop.db, runner);
  const processes = `/v1/runners/${runner.runnerId}/processes`;
  /** One more process of the runner that lives; returns what ends it. */
  const given = async (said: object) => {
    const body = { type: "org", groups: { build: 1 }, ...said };
    const made = await broker.call<{ id: string }>(`POST ${processes}`, { token, body });
    expect(made.status).toBe(201);
    const { id } = made.body;
    await broker.call(`POST /v1/runners/${runner.runnerId}/heart-beats`, {
      token,
      body: { process_id: id, process: "org", version: "1", alive_time: 1 },
    });
    return async () => {
      await broker.call(`PATCH ${processes}/${id}`, { token, body: { status: "shut-down" } });
    };
  };
  const ends = async (name = "db"): Promise<ComponentBuild> => {
    const begun = await shop.build(name, { force: true });
    return await shop.ended(begun.body.id, "active", "error");
  };
  expect(await ends()).toMatchObject({ status: "active" }); // by a third party's alone
  const leave = await given({ reads_plans: 1 });
  const refused = await ends();
  expect(refused).toMatchObject({
    status: "error",
    composite_error: { code: "runner_outdated", retryable: false },
  });
  expect(refused.composite_error?.detail).toContain(`svc runner update-version ${runner.runnerId}`);
  expect(shop.builder.types).toHaveLength(1); // there was no job of it
  await leave();
  for (const said of [{ reads_plans: 2 }, { reads_plans: 3 }, { binds_plans: true }]) {
    const end = await given(said);
    expect(await ends()).toMatchObject({ status: "active" });
    // An agent of before knows nothing of an image's secrets, and would build it without them.
    const code = said.reads_plans === 2 ? "runner_outdated" : undefined;
    expect((await ends("image")).composite_error?.code).toBe(code);
    await end();
  }
  const { status } = await broker.call(`POST ${processes}`, { token, body: { reads_plans: 0 } });
  expect(status).toBe(422);
});

test("an agent that said nothing and does not know the job's type is called outdated, too", async () => {
  const failure = { reason: "unknown_type", message: "it does not know terraform-module-build" };
  const shop = await givenShopOf(setup, () => ({ failure }));
  const begun = await shop.build("db");
  expect(await shop.ended(begun.body.id, "error")).toMatchObject({
    composite_error: { code: "runner_outdated" },
  });
});

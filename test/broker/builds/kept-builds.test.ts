import { expect, test } from "vitest";
import { tidyBuilds } from "../../../broker/retention/tidy-builds.ts";
import type { ComponentBuild } from "../../../shared/api/builds.ts";
import { until } from "../../support/broker/given-polling.ts";
import { digestOf } from "../../support/builds/given-builder.ts";
import { built, givenShopOf } from "../../support/builds/given-shop.ts";
import { givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { db, setup } = await givenWorkflowsApi({
  env: { SVC_REGISTRY: "http://registry.example.com:5000/acme" },
});
const { signal } = new AbortController();
const tidy = async () => await tidyBuilds(db, 1, { signal, batch: 100 });

test.each([
  ["the same", "application/vnd.oci.image.manifest.v1+json", digestOf("a")],
  ["a part of an index", "application/vnd.oci.image.index.v1+json", digestOf("b")],
])(
  "a build of which %s is being deleted waits until that is over, and is made again once",
  async (_, type, deleted) => {
    let jobs = 0;
    const shop = await givenShopOf(setup, () => {
      jobs += 1;
      return { outputs: { digest: digestOf("a"), media_type: type } };
    });
    const component = shop.ids["db"] ?? "";
    await db`
    insert into artifact_deletions (org_id, build_id, app_id, component_id, repository, tag, digest, due_at, begun_at, created_at)
    values (${shop.orgId}, 'bld_older', ${shop.appId}, ${component}, 'registry.example.com:5000/acme/x', 'bld_older', ${deleted},
            svc_now(), svc_now(), svc_now())`;
    const { body } = await shop.build("db");
    const read = async () => (await shop.api<ComponentBuild>(`GET /v1/builds/${body.id}`)).body;
    await until(async () => (await read()).status_description.includes("is being deleted"));
    expect([(await read()).status, jobs]).toEqual(["building", 1]);
    // It is deleted by now; a registry may be late by two minutes.
    await db`
    update artifact_deletions set begun_at = null, acted_at = svc_now() - interval '118 seconds', ended_at = svc_now(), outcome = 'deleted'
     where org_id = ${shop.orgId}`;
    await db`select wake_workflow(${shop.orgId}, ${body.workflow_id})`;
    await until(async () => {
      const waits = await db`
      update workflow_steps set deadline_at = svc_now()
       where workflow_id = ${body.workflow_id} and status = 'pending' and retry_index = 1`;
      return waits.count === 1;
    });
    await db`select wake_workflow(${shop.orgId}, ${body.workflow_id})`;
    expect(await shop.ended(body.id, "active", "error")).toMatchObject({ status: "active" });
    expect(jobs).toBe(2);
  },
);

test("what another component, or another org, deletes of the same digest does not touch a build", async () => {
  const shop = await givenShopOf(setup);
  const other = await givenShopOf(setup);
  for (const [org, app, component] of [
    [shop.orgId, shop.appId, shop.ids["web"]],
    [other.orgId, other.appId, other.ids["db"]],
  ])
    await db`
      insert into artifact_deletions (org_id, build_id, app_id, component_id, repository, tag, digest, due_at, begun_at, created_at)
      values (${org ?? ""}, 'bld_older', ${app ?? ""}, ${component ?? ""}, 'x/y', 'bld_older', ${digestOf("a")}, svc_now(), svc_now(), svc_now())`;
  const { body } = await shop.build("db");
  expect(await shop.ended(body.id, "active", "error")).toMatchObject({ status: "active" });
});

test("a workflow that is open holds its builds; one that has ended cannot be gone on with once they are gone", async () => {
  const shop = await givenShopOf(setup, (plan, type) =>
    type === "terraform-module-build"
      ? { isHeld: true }
      : { failure: { class: "build_failed", message: plan.dst_tag } },
  );
  const { api, appId } = shop;
  await api(`POST /v1/apps/${appId}/components/build-all`, {});
  const builds = (await api<ComponentBuild[]>(`GET /v1/builds?app_id=${appId}`)).body;
  const failed = builds.find(({ component_name: name }) => name === "web") as ComponentBuild; // it has three
  await shop.ended(failed.id, "error");
  await db`update components set deleted_at = svc_now() where id = ${failed.component_id}`; // nothing else keeps it
  await tidy();
  const marked = async () =>
    (await db`select from component_builds where id = ${failed.id} and expires_at is not null`)
      .length;
  expect(await marked()).toBe(0);
  await until(async () => shop.builder.held.length === 1);
  await shop.builder.release(
    shop.builder.held[0] as never,
    built(shop.builder.held[0]?.plan as never),
  ); // it is held
  await until(async () => (await shop.read(failed.workflow_id)).body.finished_at !== null);
  await tidy();
  expect(await marked()).toBe(1);
  await db`delete from component_builds where id = ${failed.id}`;
  const resumed = await api(`POST /v1/workflows/${failed.workflow_id}/resume`, {});
  expect(resumed).toMatchObject({ status: 409, body: { code: "build_gone" } });
  expect((await api(`GET /v1/workflows/${failed.workflow_id}`)).status).toBe(200);
});

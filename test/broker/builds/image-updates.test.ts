import { describe, expect, test } from "vitest";
import type { ComponentBuild } from "../../../shared/api/builds.ts";
import { until } from "../../support/broker/given-polling.ts";
import { type BuildEnd, type BuildPlan, digestOf } from "../../support/builds/given-builder.ts";
import {
  byRegistry,
  configOf,
  givenFollowingOf,
  imageFile as image,
  type ImageRegistry as Registry,
} from "../../support/builds/given-following.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { db, setup } = await givenWorkflowsApi({
  brokers: 2,
  env: { SVC_REGISTRY: "http://registry.example.com:5000/acme" },
});

const givenFollowing = (ends: (plan: BuildPlan, type: string) => BuildEnd, document?: object) =>
  givenFollowingOf(setup, ends, document);

const countOf = async (table: string, orgId: string): Promise<number> =>
  (
    await db<{ n: number }[]>`select count(*)::int as n from ${db(table)} where org_id = ${orgId}`
  )[0]?.n ?? 0;

describe("a component that follows an image", () => {
  test("is built where the digest is new, and leaves no build, workflow or event where nothing is", async () => {
    const registry: Registry = { "acme/cache": ["7.2.1", "a"] };
    const shop = await givenFollowing(byRegistry(registry));
    expect(await shop.update()).toMatchObject({
      policy: "^7.2",
      status: "pending",
      looked_at: null,
    });
    const first = await shop.look();
    expect(first).toMatchObject({ status: "new", tag: "7.2.1", digest: digestOf("a") });
    const [build] = await shop.settled();
    expect(build).toMatchObject({
      id: first.build_id,
      status: "active",
      source_digest: digestOf("a"),
      created_by_id: "",
    });
    expect(await shop.read(build?.workflow_id ?? "")).toMatchObject({
      body: { metadata: { image_tag: "7.2.1", image_digest: digestOf("a") } },
    });
    const counts = async () => [
      await countOf("workflows", shop.orgId),
      await countOf("component_builds", shop.orgId),
      await countOf("events", shop.orgId),
    ];
    const before = await counts();
    expect(await shop.look()).toMatchObject({ status: "current", build_id: build?.id });
    registry["acme/cache"] = ["7.2.2", "a"]; // the same under a newer tag
    expect(await shop.look()).toMatchObject({ status: "current", tag: "7.2.2" });
    expect(await counts()).toEqual(before);
    registry["acme/cache"] = ["7.3.0", "b"];
    expect(await shop.look()).toMatchObject({ status: "new", tag: "7.3.0" });
    const built = await shop.settled();
    expect(built.map(({ source_digest: digest }) => digest)).toEqual([
      digestOf("b"),
      digestOf("a"),
    ]);
    expect(shop.looks()).toBe(4);
  });

  test("is built once for a digest whose build does not succeed, and again for another", async () => {
    const registry: Registry = { "acme/cache": ["7.2.1", "a"] };
    const answer = byRegistry(registry);
    const shop = await givenFollowing((plan, type) =>
      type === "container-image-build" && registry["acme/cache"]?.[1] === "a"
        ? { failure: { class: "refused", message: "The registry refused it." } }
        : answer(plan, type),
    );
    const { build_id: id } = await shop.look();
    expect((await shop.settled()).map(({ status }) => status)).toEqual(["error"]);
    expect(await shop.look()).toMatchObject({ status: "tried", build_id: id });
    expect(await shop.builds()).toHaveLength(1);
    registry["acme/cache"] = ["7.2.2", "b"];
    expect(await shop.look()).toMatchObject({ status: "new" });
    expect((await shop.settled()).map(({ status }) => status)).toEqual(["active", "error"]);
    registry["acme/cache"] = ["7.2.3", "a"]; // found again
    expect(await shop.look()).toMatchObject({ status: "tried", build_id: id });
    expect(await shop.builds()).toHaveLength(2);
  });

  test("is not built beside a build that is open", async () => {
    const registry: Registry = { "acme/cache": ["7.2.1", "a"] };
    const answer = byRegistry(registry);
    const shop = await givenFollowing(answer);
    await db`update queue_counters set is_paused = true where queue_id = (
      select e.queue_id from queue_emitters e where e.id = ${await shop.emitter()})`;
    const { id } = await shop.component();
    const byHand = await shop.api<ComponentBuild>(
      `POST /v1/apps/${shop.appId}/components/${id}/builds`,
      {},
    );
    expect(byHand.status).toBe(201);
    await db`update queue_counters set is_paused = false where queue_id = (
      select e.queue_id from queue_emitters e where e.id = ${await shop.emitter()})`;
    await shop.fire();
    const seen = await shop.reach(({ looked_at: at }) => at !== null);
    expect(seen.build_id).toBe(byHand.body.id);
    expect(await shop.settled()).toHaveLength(1);
  });

  test("is looked at once at a time: ticks meanwhile add no job", async () => {
    const held = { is: true };
    const answer = byRegistry({ "acme/cache": ["7.2.1", "a"] });
    const shop = await givenFollowing((plan, type) =>
      type === "fetch-image-metadata" && held.is ? { isHeld: true } : answer(plan, type),
    );
    await shop.fire();
    const claimed = await shop.held();
    expect(await shop.update()).toMatchObject({ looking: true, status: "pending" });
    for (let times = 0; times < 3; times++) await shop.fire();
    const jobs =
      await db`select from runner_jobs j where j.org_id = ${shop.orgId} and j.type = 'fetch-image-metadata'`;
    expect(jobs).toHaveLength(1);
    held.is = false;
    await shop.builder.release(claimed, answer(claimed.plan as BuildPlan, "fetch-image-metadata"));
    expect(await shop.reach(({ looking }) => !looking)).toMatchObject({ status: "new" });
  });

  test("is looked at once a tick, however many brokers there are, each component by a job of its own", async () => {
    const registry: Registry = { "acme/cache": ["7.2.1", "a"], "acme/proxy": ["2.0.0", "b"] };
    const document = configOf(image("cache", "^7.2"), image("proxy", "newest"));
    const shop = await givenFollowing(byRegistry(registry), document);
    const id = await shop.emitter();
    const alive = await db<
      { id: string }[]
    >`select id from runner_processes where org_id = ${shop.orgId}`;
    await advanceClock(db, "30 minutes", { alive: alive.map((one) => one.id) });
    await shop.reach(({ looked_at: at }) => at !== null, "cache");
    await shop.reach(({ looked_at: at }) => at !== null, "proxy");
    const [ticks] = await db<{ n: number; all: number }[]>`
      select count(distinct s.scheduled_for)::int as n, count(*)::int as all from queue_signals s where s.emitter_id = ${id}`;
    expect(ticks?.all).toBe(ticks?.n);
    expect(await shop.settled()).toHaveLength(2);
    expect(shop.looks()).toBe(2 * (ticks?.n ?? 0));
    expect(await shop.api(`GET /v1/emitters/${id}`)).toMatchObject({
      body: { signal_type: "image-update", cron_schedule: "*/15 * * * *", time_zone: "UTC" },
    });
  });

  test("says why it cannot be looked at, and keeps what was seen before", async () => {
    const registry: Registry = { "acme/cache": ["7.2.1", "a"] };
    const answer = byRegistry(registry);
    let failure: BuildEnd["failure"];
    const shop = await givenFollowing((plan, type) =>
      type === "fetch-image-metadata" && failure ? { failure } : answer(plan, type),
    );
    await shop.look();
    await shop.settled();
    failure = { class: "auth", message: "The registry does not accept the credentials." };
    expect(await shop.look()).toMatchObject({
      status: "failed",
      status_description: "The registry does not accept the credentials.",
      tag: "7.2.1",
      digest: digestOf("a"),
    });
    failure = undefined;
    const before = shop.looks();
    const serves = async (groups: object) =>
      await db`update runner_processes set serves = ${JSON.stringify(groups)}::text::jsonb where org_id = ${shop.orgId}`;
    await serves({ build: 10 });
    expect((await shop.look()).status_description).toContain("takes jobs of the group sync");
    await serves({ build: 10, sync: 10 });
    await db`update runner_processes set reads_plans = 1 where org_id = ${shop.orgId}`;
    expect((await shop.look()).status_description).toContain("update it by svc runner");
    await serves({ sync: 10 });
    expect((await shop.look()).status_description).toContain("takes builds: start its agent");
    await db`update runner_groups set type = 'install' where org_id = ${shop.orgId}`;
    expect((await shop.look()).status_description).toContain("no runner of its own");
    expect(shop.looks()).toBe(before);
    expect(await shop.builds()).toHaveLength(1);
  });

  test("is not built of a job that told nothing, or no digest", async () => {
    const outputs: BuildEnd["outputs"][] = [
      { digest: digestOf("a"), tag: "latest" }, // an agent that does not know policies
      { digest: "sha256:short", tag: "7.2.1", update_policy: "^7.2" },
    ];
    const shop = await givenFollowing(() => ({ outputs: outputs.shift() ?? {} }));
    for (let times = 0; times < 3; times++)
      expect(await shop.look()).toMatchObject({ status: "failed", tag: "", digest: "" });
    expect((await shop.update())?.status_description).toContain("update it");
    expect(await shop.builds()).toEqual([]);
  });

  test("is not built by what was looked for before its config changed", async () => {
    const answer = byRegistry({ "acme/cache": ["7.2.1", "a"] });
    let isHeld = true;
    const shop = await givenFollowing((plan, type) =>
      type === "fetch-image-metadata" && isHeld ? { isHeld } : answer(plan, type),
    );
    await shop.fire();
    const claimed = await shop.held();
    isHeld = false;
    const synced = await shop.sync(configOf(image("cache", "~8.1"), image("other", undefined)));
    expect(synced.status).toBe(201);
    await shop.reach(({ policy }) => policy === "~8.1");
    await shop.builder.release(claimed, {
      outputs: { digest: digestOf("c"), tag: "7.2.9", update_policy: "^7.2" },
    });
    await until(async () => (await shop.builds()).length === 2); // those of the sync
    await shop.settled();
    expect(await shop.look()).toMatchObject({ status: "current", policy: "~8.1", tag: "7.2.1" });
    expect(await shop.builds()).toHaveLength(2);
  });

  test("is built no more once its app is deleted, also where a look is under way", async () => {
    const shop = await givenFollowing((_, type) =>
      type === "fetch-image-metadata" ? { isHeld: true } : {},
    );
    const emitter = await shop.emitter();
    await shop.fire();
    const claimed = await shop.held();
    expect((await shop.api(`DELETE /v1/apps/${shop.appId}`)).status).toBe(200);
    expect((await shop.api(`GET /v1/emitters/${emitter}`)).status).toBe(404);
    await shop.builder.release(claimed, {
      outputs: { digest: digestOf("c"), tag: "7.2.9", update_policy: "^7.2" },
    });
    const ended = await db<{ status: string }[]>`
      select d.status from runner_job_ends d where d.runner_job_id = ${claimed.job.id}`;
    expect(ended).toMatchObject([{ status: "finished" }]);
    expect(await countOf("image_updates", shop.orgId)).toBe(0);
    expect(await countOf("component_builds", shop.orgId)).toBe(0);
    expect(await countOf("workflows", shop.orgId)).toBe(0);
  });

  test("is of its org alone", async () => {
    const registry: Registry = { "acme/cache": ["7.2.1", "a"] };
    const [mine, theirs] = [
      await givenFollowing(byRegistry(registry)),
      await givenFollowing(byRegistry(registry)),
    ];
    await mine.look();
    expect(await theirs.update()).toMatchObject({ status: "pending", looked_at: null });
    expect(theirs.looks()).toBe(0);
    const { id } = await mine.component();
    const at = `/v1/apps/${mine.appId}/components/${id}`;
    expect((await theirs.api(`GET ${at}`)).status).toBe(404);
    const emitter = await mine.emitter();
    for (const what of [`GET /v1/emitters/${emitter}`, `POST /v1/emitters/${emitter}/fire`])
      expect((await theirs.api(what)).status).toBe(404);
  });
});

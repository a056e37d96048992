import { readdir, readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { until } from "../../support/broker/given-polling.ts";
import {
  byRegistry,
  configOf,
  followingConfig as config,
  givenFollowingOf,
  imageFile as image,
} from "../../support/builds/given-following.ts";
import { givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { db, setup } = await givenWorkflowsApi({
  env: { SVC_REGISTRY: "http://registry.example.com:5000/acme" },
});

describe("the emitter of image updates", () => {
  const emittersOf = async (orgId: string): Promise<readonly { id: string; status: string }[]> =>
    await db<{ id: string; status: string }[]>`
      select e.id, e.status from queue_emitters e where e.org_id = ${orgId} and e.signal_type = 'image-update'`;

  test("that cannot be made is told at the component, and made by the next sync", async () => {
    const shop = await givenFollowingOf(setup, byRegistry({}));
    const id = await shop.emitter();
    await db`update queue_emitters set signal_type = 'http' where id = ${id}`; // somebody's own, of this name
    await shop.sync(configOf(image("cache", "^8")));
    const told = await shop.reach(({ status }) => status === "failed");
    expect(told.status_description).toContain("delete that, then sync the app again");
    await db`delete from queue_emitters where id = ${id}`;
    await shop.sync(configOf(image("cache", "^9")));
    expect(await shop.emitter()).not.toBe(id);
  });

  test("asks for nothing that could not be pushed", async () => {
    const fixed = await givenWorkflowsApi({
      env: { SVC_REGISTRY: "http://registry.example.com:5000/acme", SVC_REGISTRY_AUTH: "fixed" },
    });
    const shop = await givenFollowingOf(fixed.setup, byRegistry({}));
    expect(await shop.look()).toMatchObject({ status: "failed" });
    expect((await shop.update())?.status_description).toContain("svc registry logins set push");
    expect(shop.looks()).toBe(0);
  });

  test("stays while a component follows an image, paused where somebody paused it, and ends with the last", async () => {
    const shop = await givenFollowingOf(setup, byRegistry({}));
    const id = await shop.emitter();
    expect((await shop.api(`POST /v1/emitters/${id}/pause`, {})).status).toBe(200);
    expect(await shop.update()).toMatchObject({ paused: true, emitter_id: id });
    await shop.sync(configOf(image("cache", "^8"), image("proxy", "newest")));
    await shop.reach(({ policy }) => policy === "newest", "proxy");
    expect(await emittersOf(shop.orgId)).toEqual([{ id, status: "paused" }]);
    expect(await shop.api(`DELETE /v1/emitters/${id}`)).toMatchObject({
      status: 409,
      body: { code: "managed_emitter" },
    });
    await shop.sync(configOf(image("cache", undefined), image("proxy", undefined)));
    await until(async () => (await emittersOf(shop.orgId)).length === 0);
    expect(await shop.update()).toBeUndefined();
    await shop.sync(config);
    expect(await shop.emitter()).not.toBe(id);
  });

  test("is made by no config that follows none, nor by a text that only names it", async () => {
    const document = {
      ...configOf(image("cache", undefined)),
      "metadata.toml": { name: "shop", description: 'say "update_policy" to follow' },
    };
    const org = await setup(document);
    const tasks = await db`
      select from graphile_worker.jobs j where j.key = ${`images:${org.appId}`}`;
    expect(tasks).toHaveLength(0);
    expect(await emittersOf(org.orgId)).toEqual([]);
  });

  test("is made by the migration for apps whose config is in force already", async () => {
    const shop = await givenFollowingOf(setup, byRegistry({}));
    await shop.emitter();
    await db`delete from queue_emitters where org_id = ${shop.orgId}`;
    await db`delete from image_updates where org_id = ${shop.orgId}`;
    const file = (await readdir("migrations")).find((name) => name.endsWith("-image-updates.sql"));
    const text = await readFile(`migrations/${file}`, "utf8");
    await db.unsafe(text.slice(text.indexOf("select graphile_worker.add_job")));
    expect(await shop.emitter()).toMatch(/^emt_/);
  });
});

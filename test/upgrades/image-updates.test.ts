import { expect, onTestFinished, test } from "vitest";
import { startDevRegistry } from "../../cli/dev-registry/start-dev-registry.ts";
import type { ComponentBuild } from "../../shared/api/builds.ts";
import type { ShownComponent } from "../../shared/api/components.ts";
import { testFolder } from "../support/run/folder.ts";
import { startImageRegistry } from "../support/sources/start-image-registry.ts";
import { givenUpgrade } from "../support/upgrades/given-upgrade.ts";
import { type Build, keptNames, present, unpackBuild } from "../support/upgrades/kept-builds.ts";

test("newer images are looked for by a new broker beside two older ones, for apps that these have synced", async () => {
  const [older, old] = (await Promise.all(keptNames.map(unpackBuild))) as [Build, Build];
  const given = await givenUpgrade(older);
  const runner = await given.runner({ type: "org", platform: "local" });
  await given.svc(old, "migrate", "up");
  const { url: oldUrl } = await given.broker(old);
  const registry = await startDevRegistry({
    folder: await testFolder(),
    port: 0,
    limits: { freeBytes: 0 },
  });
  onTestFinished(registry.stop);
  const tags = ["7.2.0", "8.0.0"];
  const others = await startImageRegistry(tags);
  const app = await given.call<{ id: string }>("POST /v1/apps", { name: "shop" }, oldUrl);
  const config = {
    "metadata.toml": { name: "shop" },
    components: {
      "cache.toml": {
        name: "cache",
        type: "container_image",
        public: { image_url: others.image, update_policy: "^7" },
      },
    },
  };
  await given.call(`POST /v1/apps/${app.id}/configs/sync`, config, oldUrl);
  await given.svc(present, "migrate", "up");
  const settings = { SVC_REGISTRY: `http://${registry.host}`, SVC_REGISTRY_AUTH: "token" };
  const { url } = await given.broker(present, settings);
  registry.trust(url);
  const host = await given.host({ token: runner.token, mode: "org" });
  await host.start(present, oldUrl); // polls at an older broker

  const update = async () => (await component())?.image_update;
  const emitter = async () => (await update())?.emitter_id ?? "";
  await expect.poll(emitter, { interval: 100 }).toMatch(/^emt_/);
  await given.call(`POST /v1/emitters/${await emitter()}/fire`, {}, oldUrl);
  await expect
    .poll(newest, { interval: 100 })
    .toMatchObject({ status: "active", source_digest: others.digestOf("7.2.0") });
  tags.push("7.10.0");
  await given.call(`POST /v1/emitters/${await emitter()}/fire`, {}, oldUrl);
  await expect
    .poll(newest, { interval: 100 })
    .toMatchObject({ status: "active", source_digest: others.digestOf("7.10.0") });
  await given.call(`POST /v1/emitters/${await emitter()}/fire`, {}, oldUrl);
  await expect.poll(update, { interval: 100 }).toMatchObject({ status: "current", tag: "7.10.0" });
  expect(await builds()).toHaveLength(2);

  async function component(): Promise<ShownComponent | undefined> {
    const path = `GET /v1/apps/${app.id}/components`;
    return (await given.call<ShownComponent[]>(path, undefined, url))[0];
  }
  async function builds(): Promise<ComponentBuild[]> {
    return await given.call(`GET /v1/builds?app_id=${app.id}`, undefined, url);
  }
  async function newest(): Promise<ComponentBuild | undefined> {
    return (await builds())[0];
  }
});

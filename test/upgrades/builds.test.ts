import { expect, onTestFinished, test } from "vitest";
import { startDevRegistry } from "../../cli/dev-registry/start-dev-registry.ts";
import type { ComponentBuild } from "../../shared/api/builds.ts";
import { configMap } from "../support/manifests/given-manifests.ts";
import { testFolder } from "../support/run/folder.ts";
import { givenUpgrade } from "../support/upgrades/given-upgrade.ts";
import { type Build, keptNames, present, unpackBuild } from "../support/upgrades/kept-builds.ts";
import { proveAgent } from "../support/upgrades/prove-agent.ts";

const config = (host: string) => ({
  "metadata.toml": { name: "shop" },
  components: {
    "web.toml": { name: "web", type: "kubernetes_manifest", manifest: configMap("web", { host }) },
    "task.toml": { name: "task", type: "job", image_url: "ghcr.io/acme/task", tag: "1" },
  },
});

test("builds go on at a new broker beside two older ones, which do their own work, and by new agents alone", async () => {
  const [older, old] = (await Promise.all(keptNames.map(unpackBuild))) as [Build, Build];
  const given = await givenUpgrade(older);
  // What older brokers knew before: a runner of the org's own, an app with its config.
  const runner = await given.runner({ type: "org", platform: "local" });
  await given.svc(old, "migrate", "up");
  const { url: oldUrl } = await given.broker(old);
  const registry = await startDevRegistry({
    folder: await testFolder(),
    port: 0,
    limits: { freeBytes: 0 },
  });
  onTestFinished(registry.stop);
  const settings = { SVC_REGISTRY: `http://${registry.host}`, SVC_REGISTRY_AUTH: "token" };
  const app = await given.call<{ id: string }>("POST /v1/apps", { name: "shop" }, oldUrl);
  await given.call(`POST /v1/apps/${app.id}/configs/sync`, config("a"), oldUrl);
  await given.svc(present, "migrate", "up");
  const { url } = await given.broker(present, settings);
  registry.trust(url);

  const host = await given.host({ token: runner.token, mode: "org" });
  const before = await host.start(old, oldUrl);
  expect(await ends(await begin())).toEqual(["task: active", "web: runner_outdated"]);
  before.kill("SIGTERM");
  expect(await before.ended).toBe(0);
  const after = await host.start(present, oldUrl); // polls at an older broker
  const built = await begin();
  expect(await ends(built)).toEqual(["task: active", "web: active"]);
  const web = built.find(({ component_name: name }) => name === "web");
  const { artifact } = await given.call<ComponentBuild>(
    `GET /v1/builds/${web?.id ?? ""}`,
    undefined,
    url,
  );
  expect(artifact?.repository).toContain(registry.host);
  expect(artifact?.digest).toMatch(/^sha256:/);

  await given.call(`POST /v1/apps/${app.id}/configs/sync`, config("b"), url); // which has it built
  await expect
    .poll(async () => (await builds())[0], { interval: 100 })
    .toMatchObject({ component_name: "web", status: "active", no_op: false });
  after.kill("SIGTERM");
  await after.ended;
  const waiting = await begin();
  await given.call(`POST /v1/workflows/${waiting[0]?.workflow_id ?? ""}/cancel`, {}, url);
  expect(await ends(waiting)).toEqual(["task: cancelled", "web: cancelled"]);
  await proveAgent(given, older); // the oldest serves its own as before
  await proveAgent(given, present, oldUrl);

  async function begin(): Promise<ComponentBuild[]> {
    return await given.call(`POST /v1/apps/${app.id}/components/build-all`, {}, url);
  }
  async function builds(): Promise<ComponentBuild[]> {
    return await given.call(`GET /v1/builds?app_id=${app.id}`, undefined, url);
  }
  /** What became of builds, sorted. */
  async function ends(begun: readonly ComponentBuild[]): Promise<string[]> {
    const seen = async () =>
      (await builds())
        .filter(({ id }) => begun.some((one) => one.id === id))
        .map(
          ({ component_name: name, status, composite_error: error }) =>
            `${name}: ${error?.code ?? status}`,
        )
        .toSorted();
    await expect
      .poll(seen, { interval: 100 })
      .not.toContainEqual(expect.stringMatching(/: (?:planning|building)$/));
    return await seen();
  }
});

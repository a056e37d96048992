import { expect, test } from "vitest";
import { startDevRegistry } from "../../../../cli/dev-registry/start-dev-registry.ts";
import type { ComponentBuild } from "../../../../shared/api/builds.ts";
import { givenRunnerWithAgent } from "../../../support/agent/given-jobs.ts";
import { givenFleet } from "../../../support/broker/given-fleet.ts";
import { until } from "../../../support/broker/given-polling.ts";
import { configMap } from "../../../support/manifests/given-manifests.ts";
import { askToken } from "../../../support/registry/ask-token.ts";
import { afterFile } from "../../../support/run/after-file.ts";
import { testFolder } from "../../../support/run/folder.ts";

test("an agent pushes with its job's login to the registry of svc dev, and a person reads it", async () => {
  const registry = await startDevRegistry({
    folder: await testFolder(),
    port: 0,
    limits: { freeBytes: 0 },
  });
  afterFile(registry.stop);
  const { host } = registry;
  const env = { SVC_REGISTRY: `http://${host}`, SVC_REGISTRY_AUTH: "token" };
  const fleet = await givenFleet(env);
  registry.trust(fleet.broker.url);
  const runner = await givenRunnerWithAgent(fleet);
  await fleet.db`
    update runner_groups set type = 'org', owner_type = 'org' where id = ${runner.groupId}`;
  const call = async <Body>(what: string, body?: object): Promise<Body> => {
    const given = { token: runner.operatorToken, ...(body && { body }) };
    return (await fleet.broker.call<Body>(what, given)).body;
  };
  const app = await call<{ id: string }>("POST /v1/apps", { name: "shop" });
  await call(`POST /v1/apps/${app.id}/configs/sync`, {
    "metadata.toml": { name: "shop" },
    components: {
      "web.toml": {
        name: "web",
        type: "kubernetes_manifest",
        manifest: configMap("web", { host: "a" }),
      },
    },
  });
  const [begun] = await call<ComponentBuild[]>(`POST /v1/apps/${app.id}/components/build-all`, {});
  let seen = begun;
  await until(async () => {
    seen = await call<ComponentBuild>(`GET /v1/builds/${begun?.id ?? ""}`);
    return ["active", "error"].includes(seen.status);
  });
  expect(seen).toMatchObject({ status: "active" });
  const { repository = "", digest = "", tag = "" } = seen?.artifact ?? {};
  expect(repository.startsWith(`${host}/`)).toBe(true);
  const name = repository.slice(host.length + 1);
  const login = { username: "svc", password: runner.operatorToken };
  const scopes = [`repository:${name}:pull`];
  const { token } = (await askToken(fleet.broker.url, login, scopes, host)).body;
  const pulled = await fetch(`http://${host}/v2/${name}/manifests/${tag}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect([pulled.status, pulled.headers.get("docker-content-digest")]).toEqual([200, digest]);
});

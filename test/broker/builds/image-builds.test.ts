import { expect, test } from "vitest";
import type { ComponentBuild } from "../../../shared/api/builds.ts";
import type { ShownComponent } from "../../../shared/api/components.ts";
import { until } from "../../support/broker/given-polling.ts";
import { type BuildPlan, givenBuilder } from "../../support/builds/given-builder.ts";
import { built, shopRepo } from "../../support/builds/given-shop.ts";
import { givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { setup } = await givenWorkflowsApi({
  env: { SVC_REGISTRY: "http://registry.example.com:5000/acme" },
});

const image = (name: string, more: object) => ({
  name,
  type: "docker_build",
  public_repo: shopRepo,
  ...more,
});

/** An app with two images, and the plans that the agent of its builds was given. */
async function givenImages() {
  const org = await setup({
    "metadata.toml": { name: "shop" },
    components: {
      "api.toml": image("api", { secrets: ["npm_token"], build_args: { A: "b" } }),
      "web.toml": image("web", {}),
    },
  });
  const plans: BuildPlan[] = [];
  await givenBuilder(org, (plan) => {
    plans.push(plan);
    return built(plan);
  });
  const { api, appId } = org;
  const { body: components } = await api<ShownComponent[]>(`GET /v1/apps/${appId}/components`);
  const build = async (name: string, body: object = {}): Promise<ComponentBuild> => {
    const { id } = components.find((one) => one.name === name) as ShownComponent; // it has it
    const path = `POST /v1/apps/${appId}/components/${id}/builds`;
    const begun = await api<ComponentBuild>(path, body);
    let seen = begun.body;
    await until(async () => {
      seen = (await api<ComponentBuild>(`GET /v1/builds/${begun.body.id}`)).body;
      return ["active", "error"].includes(seen.status);
    });
    return seen;
  };
  const setSecret = async (name: string, value: string) =>
    await api(`POST /v1/apps/${appId}/secrets`, { name, value });
  const imagePlans = () =>
    plans.map((plan) => plan["docker_build_plan"] as Readonly<Record<string, unknown>>); // of images
  return { build, setSecret, imagePlans };
}

test("the plan of an image has the values of the app's secrets that it names, and they make no other build", async () => {
  const { build, setSecret, imagePlans } = await givenImages();
  expect(await build("api")).toMatchObject({
    status: "error",
    composite_error: { code: "missing_value", retryable: false },
  });
  await setSecret("npm-token", "of-the-tests\n");
  await setSecret("other", "never in it");
  const first = await build("api");
  await setSecret("npm_token", "another");
  const second = await build("api", { use_latest: true });
  expect([first.status, second.status]).toEqual(["active", "active"]);
  const [one, other] = imagePlans();
  expect(one).toEqual({
    build_args: { A: "b" },
    secrets: { npm_token: "of-the-tests\n" },
    cache_key: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  });
  const cache_key = other?.["cache_key"];
  expect(other).toEqual({ ...one, secrets: { npm_token: "another" }, cache_key });
  // But layers that were made with another value are not used.
  expect(cache_key).not.toBe(one?.["cache_key"]);
  await setSecret("npm_token", "of-the-tests\n");
  await build("api", { use_latest: true });
  expect(imagePlans().at(-1)).toEqual(one);
});

test("its layers are known by a key of the component's own, and a forced build begins without them", async () => {
  const [shop, elsewhere] = [await givenImages(), await givenImages()];
  for (const { setSecret } of [shop, elsewhere]) await setSecret("npm_token", "value");
  await shop.build("api");
  await shop.build("web");
  await shop.build("web", { force: true });
  await elsewhere.build("api");
  const plans = [...shop.imagePlans(), ...elsewhere.imagePlans()];
  const [api, web, forced, foreign] = plans.map(({ cache_key }) => cache_key);
  expect(forced).toBe(web);
  expect(new Set([api, web, foreign]).size).toBe(3);
  expect(plans.map(({ no_cache }) => no_cache)).toEqual([undefined, undefined, true, undefined]);
});

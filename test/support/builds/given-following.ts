import { expect } from "vitest";
import type { ComponentBuild } from "../../../shared/api/builds.ts";
import type { ShownComponent, ShownImageUpdate } from "../../../shared/api/components.ts";
import { until } from "../broker/given-polling.ts";
import type { ClaimedJob } from "../broker/http-agent.ts";
import type { givenWorkflowsApi } from "../workflows/workflows-api.ts";
import { type BuildEnd, type BuildPlan, digestOf, givenBuilder } from "./given-builder.ts";

type Setup = Awaited<ReturnType<typeof givenWorkflowsApi>>["setup"];

/** A file of a component that follows this image, or has one tag of it. */
export const imageFile = (
  name: string,
  update_policy: string | undefined,
  image_url = `acme/${name}`,
) => ({
  [`${name}.toml`]: {
    name,
    type: "container_image",
    public: { image_url, ...(update_policy ? { update_policy } : { tag: "1" }) },
  },
});
/** A config of these components. */
export const configOf = (...images: object[]) => ({
  "metadata.toml": { name: "shop" },
  components: Object.assign({}, ...images) as object,
});
/** One that follows an image. */
export const followingConfig = configOf(imageFile("cache", "^7.2"));

/** What stands in the registry: a tag and a letter of its digest, by the repository. */
export type ImageRegistry = Record<string, readonly [tag: string, letter: string]>;
const repositoryOf = (plan: BuildPlan): string => {
  const { registry, container_image_pull_plan: pull } = plan as {
    readonly registry?: { readonly repository: string };
    readonly container_image_pull_plan?: { readonly repo_config: { readonly repository: string } };
  };
  return (registry ?? pull?.repo_config)?.repository ?? "";
};

/** Answers looks and builds by what stands in the registry then. */
export const byRegistry =
  (registry: ImageRegistry) =>
  (plan: BuildPlan, type: string): BuildEnd => {
    const [tag, letter] = registry[repositoryOf(plan)] ?? ["", ""];
    const digest = digestOf(letter);
    if (type === "fetch-image-metadata")
      return { outputs: { digest, tag, update_policy: plan["update_policy"] } };
    return { outputs: { digest, source_digest: digest, resolved_tag: tag, no_op: false } };
  };

type Ends = (plan: BuildPlan, type: string) => BuildEnd;

/** An org whose app follows images, and a runner of its own that ends looks and builds as it is told. */
export async function givenFollowingOf(
  setup: Setup,
  ends: Ends,
  document: object = followingConfig,
) {
  const org = await setup(document);
  const { db } = org;
  const builder = await givenBuilder(org, ends);
  const { api, appId } = org;
  const components = async () =>
    (await api<ShownComponent[]>(`GET /v1/apps/${appId}/components`)).body;
  const component = async (name = "cache") =>
    (await components()).find((one) => one.name === name) as ShownComponent; // the config has it
  const update = async (name = "cache") => (await component(name)).image_update;
  async function reach(
    is: (seen: ShownImageUpdate) => boolean,
    name = "cache",
  ): Promise<ShownImageUpdate> {
    let seen: ShownImageUpdate | undefined;
    await until(async () => (seen = await update(name)) !== undefined && is(seen));
    return seen as ShownImageUpdate; // it was seen
  }
  const emitter = async () => {
    const { emitter_id: id } = await reach((seen) => seen.emitter_id !== null);
    return id ?? "";
  };
  const fire = async () => {
    const fired = await api<{ id: string }>(`POST /v1/emitters/${await emitter()}/fire`);
    expect(fired.status).toBe(201);
    await until(async () => await hasEnded(fired.body.id));
  };
  const hasEnded = async (signalId: string): Promise<boolean> => {
    const ends = await db`select from queue_signal_ends d where d.signal_id = ${signalId}`;
    return ends.length === 1;
  };
  /** One look, whose result is there. */
  const look = async (name = "cache") => {
    const before = (await update(name))?.looked_at ?? null;
    await fire();
    return await reach((seen) => seen.looked_at !== before && !seen.looking, name);
  };
  const builds = async () => (await api<ComponentBuild[]>(`GET /v1/builds?app_id=${appId}`)).body;
  const settled = async () => {
    await until(async () =>
      (await builds()).every(({ status }) => status !== "planning" && status !== "building"),
    );
    return await builds();
  };
  /** The look that its agent holds. */
  const held = async () => {
    await until(() => builder.held.length > 0);
    return builder.held[0] as ClaimedJob; // it was seen
  };
  const looks = () => builder.types.filter((type) => type === "fetch-image-metadata").length;
  return {
    ...org,
    builder,
    component,
    update,
    reach,
    emitter,
    fire,
    look,
    builds,
    settled,
    looks,
    held,
  };
}

import type { ComponentBuild } from "../../../shared/api/builds.ts";
import { until } from "../broker/given-polling.ts";
import { type BuildEnd, type BuildPlan, digestOf, givenBuilder } from "../builds/given-builder.ts";
import type { givenWorkflowsApi } from "../workflows/workflows-api.ts";
import type { Login } from "./ask-token.ts";

type Setup = Awaited<ReturnType<typeof givenWorkflowsApi>>["setup"];

const config = {
  "metadata.toml": { name: "shop" },
  components: {
    "web.toml": { name: "web", type: "kubernetes_manifest", manifest: "kind: ConfigMap" },
  },
};
const built: BuildEnd = {
  outputs: {
    digest: digestOf("a"),
    media_type: "application/vnd.oci.image.manifest.v1+json",
    size: 12,
    source_ref: "",
    source_checksum: "",
  },
};

/** A build whose job is held by its runner, and the job's login to the registry. */
export async function givenHeldBuild(setup: Setup) {
  const org = await setup(config);
  const builder = await givenBuilder(org, () => ({ isHeld: true }));
  const builds = await org.api<ComponentBuild[]>(
    `POST /v1/apps/${org.appId}/components/build-all`,
    {},
  );
  const [build] = builds.body;
  if (build === undefined) throw new Error("nothing is built");
  await until(() => Promise.resolve(builder.held.length === 1));
  const [claimed] = builder.held;
  if (claimed === undefined) throw new Error("nothing is held");
  const plan = claimed.plan as BuildPlan; // as the broker made it
  const target = plan.dst_registry as { repository: string; ociauth?: Login };
  return {
    org,
    builder,
    build,
    claimed,
    repository: target.repository,
    login: target.ociauth,
    end: async () => {
      await builder.release(claimed, built);
      await until(async () => {
        const seen = await org.api<ComponentBuild>(`GET /v1/builds/${build.id}`);
        return seen.body.status === "active";
      });
    },
  };
}

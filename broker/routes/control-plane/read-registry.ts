import { getRegistryRoute } from "../../../shared/api/registry-tokens.ts";
import { problem } from "../../../shared/problem.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";

/** GET /v1/registry */
export const readRegistry: RegisterRoutes = (app, { config: { registry } }) => {
  app.handle(getRegistryRoute, ({ orgId }) => {
    if (registry === undefined)
      throw problem.notFound("registry", "This broker has no registry: SVC_REGISTRY is not set.");
    const { server, prefix, isPlain, auth } = registry;
    return {
      host: server,
      repositories: prefix === "" ? orgId : `${prefix}/${orgId}`,
      is_plain: isPlain,
      auth,
    };
  });
};

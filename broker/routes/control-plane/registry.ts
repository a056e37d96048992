import {
  deleteRegistryLoginRoute,
  setRegistryLoginRoute,
} from "../../../shared/api/registry-logins.ts";
import { getRegistryRoute } from "../../../shared/api/registry-tokens.ts";
import { problem } from "../../../shared/problem.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { openResource } from "../../http/resources/open-resource.ts";
import { deleteRegistryLogin, setRegistryLogin } from "../../registry/keep-registry-logins.ts";
import { registryLoginRows } from "../../registry/registry-login-rows.ts";
import { findRefusal } from "../../retention/registry-refusals.ts";

/** /v1/registry, /v1/registry/logins */
export const keepRegistry: RegisterRoutes = (app, broker) => {
  const { registry, keepBuilds } = broker.config;
  app.handle(getRegistryRoute, async ({ orgId }) => {
    if (registry === undefined)
      throw problem.notFound("registry", "This broker has no registry: SVC_REGISTRY is not set.");
    const { server, prefix, isPlain, auth } = registry;
    return {
      host: server,
      repositories: prefix === "" ? orgId : `${prefix}/${orgId}`,
      is_plain: isPlain,
      auth,
      keeps_builds: keepBuilds,
      keeps_artifacts: (await findRefusal(broker.db, orgId, server))?.detail ?? "",
    };
  });
  openResource(app, broker, registryLoginRows);
  app.handle(
    setRegistryLoginRoute,
    async ({ actor, body }) => await setRegistryLogin(broker, actor, body),
  );
  app.handle(
    deleteRegistryLoginRoute,
    async ({ orgId, params }) => await deleteRegistryLogin(broker.db, orgId, params),
  );
};

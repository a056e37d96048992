import {
  getLivenessRoute,
  getReadinessRoute,
  getVersionRoute,
} from "../../../shared/api/operations.ts";
import { Problem } from "../../../shared/problem.ts";
import { version } from "../../../shared/version.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";

/** GET /livez, GET /readyz, GET /version */
export const readHealth: RegisterRoutes = (app, { config, health, opa }) => {
  app.handle(getLivenessRoute, () => ({ status: "alive" as const }));

  app.handle(getReadinessRoute, async ({ query: { verbose } }) => {
    const results = await health.runChecks();
    const errors = results.flatMap(({ name, fault }) =>
      fault === undefined
        ? []
        : [{ pointer: `check:${name}` as const, code: "check_failed", detail: fault }],
    );
    if (errors.length > 0) throw notReady(errors);
    if (verbose !== "true" && verbose !== "1") return { status: "ready" as const };
    const checks = results.map(({ name }) => ({ name, status: "ok" as const }));
    return { status: "ready" as const, checks };
  });

  app.handle(getVersionRoute, async () => ({
    version,
    has_opa: (await opa.find()) !== undefined,
    has_registry: config.registry !== undefined,
  }));
};

function notReady(errors: Problem["errors"]): Problem {
  const detail = `Not ready: ${errors.map(({ pointer }) => pointer.slice("check:".length)).join(", ")}.`;
  return new Problem({ status: 503, code: "not_ready", detail, errors });
}

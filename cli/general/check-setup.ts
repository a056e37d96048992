import { SvcError } from "../../client/svc-error.ts";
import { callRoute } from "../../shared/api/call-route.ts";
import { getVersionRoute } from "../../shared/api/operations.ts";
import { getRegistryRoute } from "../../shared/api/registry-tokens.ts";
import { getOwnTokenRoute } from "../../shared/api/tokens.ts";
import { opaAdvice } from "../../shared/policies/find-opa.ts";
import { version } from "../../shared/version.ts";
import { type Caller, defineCommand } from "../command.ts";
import { checkBuilds } from "./check-builds.ts";
import { clockSkewS } from "./clock-skew.ts";

/** What is to be said of the registry of artifacts, where there is one. */
async function registryLines(call: Caller): Promise<readonly string[]> {
  try {
    const { body } = await call(getRegistryRoute, {});
    if (body.keeps_artifacts === "") return [];
    return [
      `registry ${body.host} keeps artifacts that nothing needs. ${body.keeps_artifacts} See docs/registry.md.`,
    ];
  } catch (error) {
    if (error instanceof SvcError && error.status === 404) return []; // the broker has none
    throw error;
  }
}

export const checkSetup = defineCommand({
  name: "doctor",
  summary:
    "Check the connection to the broker, its clock, its OPA, the permissions of the token, and who makes builds.",
  examples: [{ does: "Check the setup.", run: "svc doctor" }],
  run: async ({ connect, call, screen }) => {
    const endpoint = await connect();
    screen.out(`broker   ${endpoint.url} (${endpoint.source})`);
    const startMs = Date.now();
    const reached = await screen.during(
      `Waiting for ${endpoint.url}`,
      callRoute({ ...endpoint, token: undefined }, getVersionRoute, {}),
    );
    const endMs = Date.now();
    const tookMs = endMs - startMs;
    screen.out(`version  ${reached.body.version}, this command line ${version}; ${tookMs} ms`);
    const { has_opa: hasOpa, has_registry: hasRegistry } = reached.body;
    if (hasOpa !== undefined)
      screen.out(
        `policies ${hasOpa ? "evaluated by OPA" : `not evaluated: the broker has no OPA. ${opaAdvice}`}`,
      );
    const brokerMs = Date.parse(reached.headers.get("date") ?? "");
    if (!Number.isNaN(brokerMs)) {
      const skewS = clockSkewS(brokerMs, { startMs, endMs });
      screen.out(`clock    ${skewS === 0 ? "agrees" : `${skewS} s apart`}`);
    }
    const own = await call(getOwnTokenRoute, {});
    screen.out(`token    ${own.body.hint}, org ${own.body.org_id}`);
    const { permissions } = own.body;
    screen.out(`allows   ${permissions.join(", ")}`);
    const builds = await checkBuilds({ call, permissions }, hasRegistry);
    if (builds !== undefined) screen.out(`builds   ${builds}`);
    if (permissions.includes("apps.read"))
      for (const line of await registryLines(call)) screen.out(line);
  },
});

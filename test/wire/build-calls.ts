import { policyId } from "../../shared/policies/policy-id.ts";
import type { GivenWire } from "./given-wire.ts";
import type { WireCall } from "./wire-call.ts";

const ofBuild = { ids: ({ build }: GivenWire) => build };
const bare = {};

/** Calls of builds, by our name of the operation. */
export const buildCalls: Readonly<Record<string, WireCall>> = {
  createComponentBuild: { ...ofBuild, body: () => ({ git_ref: "v1" }) },
  cancelComponentBuild: {
    ids: async ({ made, build }) => {
      const at = `/v1/apps/${build["app_id"]}/components/${build["component_id"]}/builds`;
      return { ...build, build_id: (await made(`POST ${at}`, bare)).id };
    },
  },
  buildAllComponents: { ...ofBuild, body: () => bare },
  buildAppConfig: { ids: ({ components }) => components[0] ?? bare },
  getComponentBuild: ofBuild,
  getLatestComponentBuild: ofBuild,
  getComponentBuildOfComponent: ofBuild,
  getPolicyReport: ofBuild,
  exportPolicyReport: ofBuild,
  getPolicyAnalyticsSummary: ofBuild,
  getPolicyAnalyticsBreakdown: ofBuild,
  getPolicyAnalyticsTimeseries: { ...ofBuild, query: () => "?group_by=policy" },
  getAppPolicyConfig: {
    ids: ({ rich }) => ({
      app_id: rich["app_id"] ?? "",
      policy_config_id: policyId(rich["app_id"] ?? "", "no-latest"),
    }),
  },
  createAppSandboxBuild: { ids: ({ rich }) => rich, body: () => bare },
  listAppSandboxBuilds: { ids: ({ rich }) => rich },
  getAppSandboxBuild: { ids: ({ sandboxBuild }) => sandboxBuild },
  cancelAppSandboxBuild: {
    ids: async ({ made, sandboxBuild: { app_id } }) => {
      const build = await made(`POST /v1/apps/${app_id}/sandbox/builds`, bare);
      return { app_id: app_id ?? "", sandbox_build_id: build.id };
    },
  },
  listComponentBuildHistory: { query: () => "?limit=1" },
};

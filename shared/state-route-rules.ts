import type { RouteRule } from "./route-rules.ts";

/** The rules of what jobs leave behind: terraform's state and helm's releases (route-rules.ts has the others). */
export const stateRouteRules = {
  // Runners: the state that their jobs work on
  getTerraformState: {
    surface: "runner",
    permission: "state.write",
    ownRunner: true,
    stateToken: true,
  },
  writeTerraformState: {
    surface: "runner",
    permission: "state.write",
    ownRunner: true,
    stateToken: true,
    maxBody: "64 MiB",
    streamed: true,
  },
  deleteTerraformState: {
    surface: "runner",
    permission: "state.write",
    ownRunner: true,
    stateToken: true,
  },
  lockTerraformWorkspace: {
    surface: "runner",
    permission: "state.write",
    ownRunner: true,
    stateToken: true,
  },
  unlockTerraformWorkspace: {
    surface: "runner",
    permission: "state.write",
    ownRunner: true,
    stateToken: true,
  },
  writeTerraformStateJson: {
    surface: "runner",
    permission: "state.write",
    ownRunner: true,
    stateToken: true,
    maxBody: "64 MiB",
    streamed: true,
  },
  rescueTerraformState: {
    surface: "runner",
    permission: "state.write",
    ownRunner: true,
    maxBody: "64 MiB",
    streamed: true,
  },
  getPulumiState: {
    surface: "runner",
    permission: "state.write",
    ownRunner: true,
    stateToken: true,
  },
  writePulumiState: {
    surface: "runner",
    permission: "state.write",
    ownRunner: true,
    stateToken: true,
    maxBody: "64 MiB",
    streamed: true,
  },

  // Runners: helm's storage
  listHelmRecords: { surface: "runner", permission: "state.write", ownRunner: true },
  queryHelmRecords: { surface: "runner", permission: "state.write", ownRunner: true },
  getHelmRecord: { surface: "runner", permission: "state.write", ownRunner: true },
  createHelmRecord: {
    surface: "runner",
    permission: "state.write",
    ownRunner: true,
    maxBody: "16 MiB",
  },
  updateHelmRecord: {
    surface: "runner",
    permission: "state.write",
    ownRunner: true,
    maxBody: "16 MiB",
  },
  deleteHelmRecord: { surface: "runner", permission: "state.write", ownRunner: true },

  // Control planes and operators: charts
  createHelmChart: { surface: "control-plane", permission: "jobs.write", idempotent: "replay" },
  listHelmCharts: { surface: "operator", permission: "state.read" },
  getHelmChart: { surface: "operator", permission: "state.read" },
  listHelmReleases: { surface: "operator", permission: "state.read" },
  getHelmRelease: { surface: "operator", permission: "state.read" },

  // Control planes and operators: workspaces
  createTerraformWorkspace: {
    surface: "control-plane",
    permission: "jobs.write",
    idempotent: "replay",
  },
  listTerraformWorkspaces: { surface: "operator", permission: "state.read" },
  getTerraformWorkspace: { surface: "operator", permission: "state.read" },
  deleteTerraformWorkspace: { surface: "operator", permission: "state.write" },
  restoreTerraformWorkspace: { surface: "operator", permission: "state.write" },
  getTerraformWorkspaceLock: { surface: "operator", permission: "state.read", ownRunner: true },
  forceUnlockTerraformWorkspace: { surface: "operator", permission: "state.write" },
  blockTerraformWorkspace: { surface: "operator", permission: "state.write", ownRunner: true },
  unblockTerraformWorkspace: { surface: "operator", permission: "state.write" },
  rollBackTerraformWorkspace: { surface: "operator", permission: "state.write" },
  listTerraformRescuedStates: { surface: "operator", permission: "state.read" },
  getTerraformRescuedStateContents: { surface: "operator", permission: "state.write" },
  pushTerraformRescuedState: { surface: "operator", permission: "state.write" },
  discardTerraformRescuedState: { surface: "operator", permission: "state.write" },
  listTerraformWorkspaceEvents: { surface: "operator", permission: "state.read" },
  listTerraformWorkspaceStates: { surface: "operator", permission: "state.read" },
  getTerraformWorkspaceState: { surface: "operator", permission: "state.read" },
  getTerraformWorkspaceStateContents: { surface: "operator", permission: "state.write" },
  listTerraformStateResources: { surface: "operator", permission: "state.read" },
  listTerraformStateOutputs: { surface: "operator", permission: "state.read" },
  diffTerraformWorkspaceStates: { surface: "operator", permission: "state.read" },
  getTerraformStateJson: { surface: "operator", permission: "state.write" },
} as const satisfies Record<string, RouteRule>;

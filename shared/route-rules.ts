import type { Permission } from "./permissions.ts";
import { stateRouteRules } from "./state-route-rules.ts";

/**
 * Who may call a route and how its request is read.
 * - surface: `runner` routes are lenient (unknown members ignored, null is absent) and answer errors the way
 *   existing runner clients decode them; `open` routes need no token.
 * - runnersRead: an open route whose errors are told the way runner clients decode them.
 * - permission: one that the caller's role must have; null only on an open route.
 * - ownRunner: a token bound to one runner is let in and the handler itself keeps it to its runner. Without
 *   this, such a token is let in only where the path says `{runner_id}`, and that must be its own.
 * - otlp: the body is OTLP/HTTP, protobuf or JSON, which the handler reads itself.
 * - maxBody: more than 1 MiB. streamed: such a body is never in memory as a whole. verbatim: members whose source text the handler wants byte for byte.
 * - unmetered: polls and beats, which come by the clock. idempotent: `Idempotency-Key` is honoured here;
 *   `once` where the answer holds a secret that cannot be told again, `job` where the key is written with the job.
 * - stateToken: the token may also come as the password of HTTP Basic, or as `?token=`.
 */
export type RouteRule = {
  readonly surface: "runner" | "control-plane" | "operator" | "open";
  readonly permission: Permission | null;
  readonly runnersRead?: true;
  readonly ownRunner?: true;
  readonly otlp?: true;
  readonly maxBody?: "16 MiB" | "64 MiB";
  readonly streamed?: true;
  readonly verbatim?: readonly string[];
  readonly unmetered?: true;
  readonly stateToken?: true;
  readonly idempotent?: "replay" | "once" | "job";
};

/** One row for every operationId, grouped by who calls. */
export const routeRules = {
  // Anyone
  enrol: { surface: "open", permission: null },
  getLiveness: { surface: "open", permission: null, unmetered: true },
  getReadiness: { surface: "open", permission: null, unmetered: true },
  getVersion: { surface: "open", permission: null, unmetered: true },
  getMetrics: { surface: "open", permission: null, unmetered: true },
  getOpenApiDocument: { surface: "open", permission: null },
  getReference: { surface: "open", permission: null },
  getReferenceStyle: { surface: "open", permission: null },

  // Anyone who knows a process's unguessable id
  listShutdowns: { surface: "open", permission: null, unmetered: true, runnersRead: true },

  // Runners: their processes
  registerProcess: { surface: "runner", permission: "runner.protocol" },
  getProcess: { surface: "runner", permission: "runners.read" },
  updateProcess: { surface: "runner", permission: "runner.protocol" },
  announceTermination: { surface: "runner", permission: "runner.protocol" },
  completeShutdown: { surface: "runner", permission: "runner.protocol" },
  createHeartBeat: { surface: "runner", permission: "runner.protocol", unmetered: true },
  createHealthCheck: { surface: "runner", permission: "runner.protocol" },

  // Operators: the processes of runners
  listProcesses: { surface: "operator", permission: "runners.read" },
  getLatestHeartBeats: { surface: "operator", permission: "runners.read" },
  listRecentHealthChecks: { surface: "operator", permission: "runners.read" },
  gracefulShutdown: { surface: "operator", permission: "runners.operate" },
  forceShutdown: { surface: "operator", permission: "runners.operate" },
  restartRunner: { surface: "operator", permission: "runners.operate" },
  shutDownProcess: { surface: "operator", permission: "runners.operate" },

  // Operators: who may do what
  listRoles: { surface: "operator", permission: "roles.read" },
  createOrg: { surface: "operator", permission: "orgs.create", idempotent: "replay" },
  listOrgs: { surface: "operator", permission: "orgs.read" },
  getCurrentOrg: { surface: "operator", permission: "orgs.read" },
  updateCurrentOrg: { surface: "operator", permission: "orgs.write" },
  createAccount: { surface: "operator", permission: "accounts.write", idempotent: "replay" },
  listAccounts: { surface: "operator", permission: "accounts.read" },
  getAccount: { surface: "operator", permission: "accounts.read" },
  setAccountRoles: { surface: "operator", permission: "accounts.write" },
  removeAccount: { surface: "operator", permission: "accounts.write" },
  createToken: { surface: "operator", permission: "tokens.write", idempotent: "once" },
  listTokens: { surface: "operator", permission: "tokens.read" },
  getToken: { surface: "operator", permission: "tokens.read" },
  revokeToken: { surface: "operator", permission: "tokens.write" },
  rotateToken: { surface: "operator", permission: "tokens.write", idempotent: "once" },
  getOwnToken: { surface: "operator", permission: "tokens.own", ownRunner: true },
  rotateOwnToken: {
    surface: "operator",
    permission: "tokens.own",
    ownRunner: true,
    idempotent: "once",
  },
  createEnrolmentToken: { surface: "operator", permission: "runners.enrol", idempotent: "once" },

  // Operators: runners, their groups and settings
  createRunnerGroup: { surface: "operator", permission: "runners.write", idempotent: "replay" },
  listRunnerGroups: { surface: "operator", permission: "runners.read" },
  getRunnerGroup: { surface: "operator", permission: "runners.read" },
  updateRunnerGroup: { surface: "operator", permission: "runners.write" },
  deleteRunnerGroup: { surface: "operator", permission: "runners.write" },
  pauseRunnerGroup: { surface: "operator", permission: "runners.operate" },
  resumeRunnerGroup: { surface: "operator", permission: "runners.operate" },
  getRunnerGroupSettings: { surface: "operator", permission: "runners.read" },
  updateRunnerGroupSettings: { surface: "operator", permission: "runners.write" },
  createRunner: { surface: "operator", permission: "runners.write", idempotent: "replay" },
  listRunners: { surface: "operator", permission: "runners.read" },
  updateRunner: { surface: "operator", permission: "runners.write" },
  updateRunnerSettings: { surface: "operator", permission: "runners.write" },
  enableRunner: { surface: "operator", permission: "runners.write" },
  disableRunner: { surface: "operator", permission: "runners.write" },
  deprovisionRunner: { surface: "operator", permission: "runners.write" },
  deleteRunner: { surface: "operator", permission: "runners.write" },
  pauseRunner: { surface: "operator", permission: "runners.operate" },
  resumeRunner: { surface: "operator", permission: "runners.operate" },
  getRunnerConnection: { surface: "operator", permission: "runners.read" },
  getRunnerCard: { surface: "operator", permission: "runners.read" },
  shutDownRunnerVm: { surface: "operator", permission: "runners.operate", idempotent: "job" },
  shutDownManagedRunner: {
    surface: "operator",
    permission: "runners.operate",
    idempotent: "job",
  },
  updateManagedRunner: { surface: "operator", permission: "runners.operate", idempotent: "job" },
  restartManagedRunner: {
    surface: "operator",
    permission: "runners.operate",
    idempotent: "job",
  },

  // Control planes: jobs
  enqueueJob: {
    surface: "control-plane",
    permission: "jobs.write",
    maxBody: "16 MiB",
    verbatim: ["plan"],
    idempotent: "job",
  },
  enqueueJobs: {
    surface: "control-plane",
    permission: "jobs.write",
    maxBody: "16 MiB",
    verbatim: ["jobs.*.plan"],
    idempotent: "job",
  },
  listJobs: { surface: "control-plane", permission: "jobs.read" },
  getWaiting: { surface: "control-plane", permission: "jobs.read" },
  followJobs: { surface: "control-plane", permission: "jobs.read", unmetered: true },
  waitForJob: { surface: "control-plane", permission: "jobs.read", unmetered: true },
  cancelJob: { surface: "control-plane", permission: "jobs.cancel" },
  rerunJob: { surface: "control-plane", permission: "jobs.write", idempotent: "job" },
  flushRunner: { surface: "control-plane", permission: "jobs.cancel" },

  // Logs: who writes them
  appendLogs: {
    surface: "runner",
    permission: "logs.write",
    ownRunner: true,
    otlp: true,
    unmetered: true,
  },
  createLogStream: { surface: "control-plane", permission: "jobs.write", idempotent: "replay" },
  closeLogStream: { surface: "control-plane", permission: "jobs.write" },

  // Logs: who reads them
  getLogStream: { surface: "runner", permission: "logs.read", ownRunner: true },
  listLogs: { surface: "runner", permission: "logs.read", ownRunner: true },
  tailLogs: { surface: "control-plane", permission: "logs.read", ownRunner: true, unmetered: true },
  listLogStreams: { surface: "control-plane", permission: "logs.read" },

  // Runners: traces and metrics, and who reads them
  createTraces: { surface: "runner", permission: "telemetry.write", otlp: true },
  createMetrics: { surface: "runner", permission: "telemetry.write", otlp: true },
  getJobTraces: { surface: "control-plane", permission: "jobs.read", ownRunner: true },
  getJobMetrics: { surface: "control-plane", permission: "jobs.read", ownRunner: true },
  getRunnerMetrics: { surface: "control-plane", permission: "runners.read" },

  // Runners and control planes: reading jobs
  listRunnerJobs: { surface: "runner", permission: "jobs.read", unmetered: true },
  getJob: { surface: "runner", permission: "jobs.read", ownRunner: true },
  getRunnerJob: { surface: "runner", permission: "jobs.read" },
  getJobPlan: { surface: "runner", permission: "plans.read", ownRunner: true },
  getRunnerJobPlan: { surface: "runner", permission: "plans.read" },
  listExecutions: { surface: "runner", permission: "jobs.read", ownRunner: true },
  getExecution: { surface: "runner", permission: "jobs.read", ownRunner: true },
  getResult: { surface: "runner", permission: "jobs.read", ownRunner: true },

  // Runners: taking jobs and reporting on them
  claimJobs: { surface: "runner", permission: "runner.protocol", unmetered: true },
  tailJobs: { surface: "runner", permission: "runner.protocol", unmetered: true },
  setJobStatus: { surface: "runner", permission: "runner.execution", ownRunner: true },
  createExecution: { surface: "runner", permission: "runner.protocol", ownRunner: true },
  updateExecution: { surface: "runner", permission: "runner.execution", ownRunner: true },
  createResult: {
    surface: "runner",
    permission: "runner.execution",
    ownRunner: true,
    maxBody: "64 MiB",
  },
  createOutputs: {
    surface: "runner",
    permission: "runner.execution",
    ownRunner: true,
    maxBody: "16 MiB",
  },
  finishExecution: {
    surface: "runner",
    permission: "runner.execution",
    ownRunner: true,
    maxBody: "64 MiB",
  },
  giveBackExecution: { surface: "runner", permission: "runner.execution", ownRunner: true },
  reportProgress: { surface: "runner", permission: "runner.execution", ownRunner: true },
  reportExecutions: { surface: "runner", permission: "runner.protocol", maxBody: "64 MiB" },

  ...stateRouteRules,

  // Runners: what they are and how they are to work
  getRunner: { surface: "runner", permission: "runners.read" },
  getRunnerSettings: { surface: "runner", permission: "runners.read" },
  getSandboxConfig: { surface: "runner", permission: "runners.read" },
  getAppConfig: { surface: "runner", permission: "runner.execution", ownRunner: true },
  getActionRun: { surface: "runner", permission: "runner.execution", ownRunner: true },
  getActionConfig: { surface: "runner", permission: "runner.execution", ownRunner: true },
  updateActionRunStep: { surface: "runner", permission: "runner.execution", ownRunner: true },
} as const satisfies Record<string, RouteRule>;

import type { Broker } from "./broker.ts";
import { openDashboard } from "./dashboard/open-dashboard.ts";
import type { App, RegisterRoutes } from "./http/app-types.ts";
import { actOnManyJobs } from "./routes/control-plane/act-on-many-jobs.ts";
import { keepActions } from "./routes/control-plane/actions.ts";
import { keepApps } from "./routes/control-plane/apps.ts";
import { beginDeploys } from "./routes/control-plane/begin-deploys.ts";
import { keepBuilds } from "./routes/control-plane/builds.ts";
import { claimSignals } from "./routes/control-plane/claim-signals.ts";
import { keepComponents } from "./routes/control-plane/components.ts";
import { keepConfigParts } from "./routes/control-plane/config-parts.ts";
import { controlWorkflows } from "./routes/control-plane/control-workflows.ts";
import { keepEmitters } from "./routes/control-plane/emitters.ts";
import { enqueueJob, enqueueJobBatch } from "./routes/control-plane/enqueue-jobs.ts";
import { followEvents } from "./routes/control-plane/follow-events.ts";
import { followJobs, waitForJob } from "./routes/control-plane/follow-jobs.ts";
import { followSignals } from "./routes/control-plane/follow-signals.ts";
import { keepInstallConfigs } from "./routes/control-plane/install-configs.ts";
import { keepInstalls } from "./routes/control-plane/installs.ts";
import { actOnJobs, flushRunner, getWaiting, listJobs } from "./routes/control-plane/jobs.ts";
import { readLabelKeys } from "./routes/control-plane/label-keys.ts";
import { createLogStream, readLogStreams } from "./routes/control-plane/log-streams.ts";
import { readPolicies } from "./routes/control-plane/policies.ts";
import { keepQueues } from "./routes/control-plane/queues.ts";
import { readConfigParts } from "./routes/control-plane/read-config-parts.ts";
import { readDeploys } from "./routes/control-plane/read-deploys.ts";
import { readInstallActions } from "./routes/control-plane/read-install-actions.ts";
import { readInstallHistory } from "./routes/control-plane/read-install-history.ts";
import { readInstallRecords } from "./routes/control-plane/read-install-records.ts";
import { readLogs } from "./routes/control-plane/read-logs.ts";
import { readTelemetry } from "./routes/control-plane/read-telemetry.ts";
import { keepRegistry } from "./routes/control-plane/registry.ts";
import { completeSignal, extendSignal, failSignal } from "./routes/control-plane/report-signals.ts";
import { keepRunbooks } from "./routes/control-plane/runbooks.ts";
import { keepAppSecrets, keepInstallSecrets } from "./routes/control-plane/secrets.ts";
import { enqueueSignals, operateSignals, readSignals } from "./routes/control-plane/signals.ts";
import { tailLogs } from "./routes/control-plane/tail-logs.ts";
import { keepWebhooks } from "./routes/control-plane/webhooks.ts";
import { keepWorkflows } from "./routes/control-plane/workflows.ts";
import { enrol } from "./routes/open/enrol.ts";
import { listShutdowns } from "./routes/open/list-shutdowns.ts";
import { readHealth } from "./routes/open/read-health.ts";
import { readMetrics } from "./routes/open/read-metrics.ts";
import { readReference } from "./routes/open/read-reference.ts";
import { giveRegistryTokens } from "./routes/open/registry-tokens.ts";
import { keepAccounts, keepRoles } from "./routes/operator/accounts.ts";
import { readAudit } from "./routes/operator/audit.ts";
import { createSignInLink } from "./routes/operator/create-sign-in-link.ts";
import { keepCurrentOrg } from "./routes/operator/current-org.ts";
import { keepInvites } from "./routes/operator/invites.ts";
import { keepRollouts } from "./routes/operator/keep-rollouts.ts";
import { createOrg, readOrgs, updateCurrentOrg } from "./routes/operator/orgs.ts";
import { keepOwnAccount } from "./routes/operator/own-account.ts";
import { readHeartBeats } from "./routes/operator/read-heart-beats.ts";
import { readProcesses } from "./routes/operator/read-processes.ts";
import { readStats } from "./routes/operator/read-stats.ts";
import { requestShutdowns } from "./routes/operator/request-shutdowns.ts";
import { keepRunnerGroups, updateRunnerSettings } from "./routes/operator/runner-groups.ts";
import { keepRunners } from "./routes/operator/runners.ts";
import { keepServiceAccounts } from "./routes/operator/service-accounts.ts";
import { keepTokens } from "./routes/operator/tokens.ts";
import { keepUserJourneys } from "./routes/operator/user-journeys.ts";
import { readActionRuns, updateActionRunStep } from "./routes/runner/action-runs.ts";
import { appendLogs } from "./routes/runner/append-logs.ts";
import { claimJobs } from "./routes/runner/claim-jobs.ts";
import { createReports } from "./routes/runner/create-reports.ts";
import {
  createExecution,
  giveBackExecution,
  reportProgress,
  setJobStatus,
  updateExecution,
} from "./routes/runner/executions.ts";
import { listRunnerJobs } from "./routes/runner/list-runner-jobs.ts";
import {
  completeShutdown,
  createHealthCheck,
  createHeartBeat,
  leaveProcess,
  registerProcess,
} from "./routes/runner/processes.ts";
import { readExecutions } from "./routes/runner/read-executions.ts";
import { readJobs } from "./routes/runner/read-jobs.ts";
import { readRunner } from "./routes/runner/read-runner.ts";
import { createOutputs, createResult } from "./routes/runner/store-result.ts";
import { storeTelemetry } from "./routes/runner/store-telemetry.ts";
import { tailJobs } from "./routes/runner/tail-jobs.ts";
import { helmCharts } from "./routes/state/helm-charts.ts";
import { helmReleases } from "./routes/state/helm-releases.ts";
import { keepStateJson } from "./routes/state/keep-state-json.ts";
import { lockWorkspaces } from "./routes/state/lock-workspaces.ts";
import { keepWorkspaces, operateWorkspaces } from "./routes/state/manage-workspaces.ts";
import { pulumiState } from "./routes/state/pulumi-state.ts";
import { readRevisions } from "./routes/state/read-revisions.ts";
import { rescueStates } from "./routes/state/rescue-states.ts";
import { terraformBackend } from "./routes/state/terraform-backend.ts";

/** Every route there is, grouped by who calls it. */
const routes: readonly RegisterRoutes[] = [
  // Anyone
  readHealth,
  readMetrics,
  readReference,
  enrol,
  giveRegistryTokens,

  // Operators: who may do what
  keepRoles,
  createOrg,
  readOrgs,
  updateCurrentOrg,
  keepCurrentOrg,
  keepServiceAccounts,
  keepAccounts,
  keepInvites,
  keepOwnAccount,
  keepUserJourneys,
  keepTokens,
  createSignInLink,
  readAudit,

  // Operators: runners, their groups, settings and processes
  keepRunnerGroups,
  keepRunners,
  updateRunnerSettings,
  readProcesses,
  readHeartBeats,
  requestShutdowns,
  keepRollouts,

  // Operators: how things are and were
  readStats,

  // Control planes: jobs
  enqueueJob,
  enqueueJobBatch,
  listJobs,
  getWaiting,
  followJobs,
  waitForJob,
  actOnJobs,
  actOnManyJobs,
  flushRunner,

  // Control planes: queues of signals, and work on them
  claimSignals,
  completeSignal,
  failSignal,
  extendSignal,
  keepQueues,
  enqueueSignals,
  readSignals,
  followSignals,
  operateSignals,
  keepEmitters,

  // Control planes: events to receivers of theirs
  keepWebhooks,
  followEvents,

  // Control planes: apps and their configs, installs, actions, workflows
  readLabelKeys,
  keepInstallConfigs,
  keepApps,
  keepInstalls,
  readInstallHistory,
  readInstallRecords,
  keepActions,
  readInstallActions,
  readDeploys,
  beginDeploys,
  keepWorkflows,
  controlWorkflows,
  keepConfigParts,
  readConfigParts,
  keepComponents,
  keepBuilds,
  keepRegistry,
  readPolicies,
  keepRunbooks,
  keepAppSecrets,
  keepInstallSecrets,

  // Runners: their processes
  registerProcess,
  createHeartBeat,
  createHealthCheck,
  leaveProcess,
  listShutdowns,
  completeShutdown,

  // Runners: taking jobs and reporting on them
  claimJobs,
  tailJobs,
  createExecution,
  updateExecution,
  createResult,
  createOutputs,
  giveBackExecution,
  createReports,
  reportProgress,
  setJobStatus,

  // Logs: who writes them
  appendLogs,
  createLogStream,

  // Logs: who reads them
  readLogStreams,
  readLogs,
  tailLogs,

  // Runners: traces and metrics, and who reads them
  storeTelemetry,
  readTelemetry,

  // Runners and control planes: reading jobs (after the fixed paths below …/jobs)
  listRunnerJobs,
  readJobs,
  readExecutions,

  // Runners and operators: terraform state
  terraformBackend,
  lockWorkspaces,
  keepStateJson,
  pulumiState,
  helmReleases,
  keepWorkspaces,
  helmCharts,
  operateWorkspaces,
  readRevisions,
  rescueStates,

  // Runners: what they are and how they are to work
  readRunner,
  readActionRuns,
  updateActionRunStep,
];

/** Registers all routes of the API on the app, and the pages for operators; answers their page for an address that is none. */
export function registerAllRoutes(app: App, broker: Broker): ReturnType<typeof openDashboard> {
  for (const register of routes) register(app, broker);
  return openDashboard(app, broker);
}

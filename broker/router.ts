import type { Broker } from "./broker.ts";
import type { App, Door } from "./http/app-types.ts";
import { cancelJob } from "./routes/control-plane/cancel-job.ts";
import { createLogStream } from "./routes/control-plane/create-log-stream.ts";
import { enqueueJob, enqueueJobBatch } from "./routes/control-plane/enqueue-jobs.ts";
import { flushRunner } from "./routes/control-plane/flush-runner.ts";
import { followJobs, waitForJob } from "./routes/control-plane/follow-jobs.ts";
import { getWaiting } from "./routes/control-plane/get-waiting.ts";
import { listJobs } from "./routes/control-plane/list-jobs.ts";
import { readLogStreams } from "./routes/control-plane/read-log-streams.ts";
import { readLogs } from "./routes/control-plane/read-logs.ts";
import { readTelemetry } from "./routes/control-plane/read-telemetry.ts";
import { rerunJob } from "./routes/control-plane/rerun-job.ts";
import { tailLogs } from "./routes/control-plane/tail-logs.ts";
import { enrol } from "./routes/open/enrol.ts";
import { listShutdowns } from "./routes/open/list-shutdowns.ts";
import { readHealth } from "./routes/open/read-health.ts";
import { readMetrics } from "./routes/open/read-metrics.ts";
import { readReference } from "./routes/open/read-reference.ts";
import { createAccount } from "./routes/operator/create-account.ts";
import { createEnrolmentToken } from "./routes/operator/create-enrolment-token.ts";
import { createOrg } from "./routes/operator/create-org.ts";
import { createRunnerGroup } from "./routes/operator/create-runner-group.ts";
import { createRunner } from "./routes/operator/create-runner.ts";
import { createToken } from "./routes/operator/create-token.ts";
import { deleteRunnerGroup } from "./routes/operator/delete-runner-group.ts";
import { listRoles } from "./routes/operator/list-roles.ts";
import { listRunners } from "./routes/operator/list-runners.ts";
import { manageRunner } from "./routes/operator/manage-runner.ts";
import { pauseRunnerGroups } from "./routes/operator/pause-runner-groups.ts";
import { pauseRunners } from "./routes/operator/pause-runners.ts";
import { readAccounts } from "./routes/operator/read-accounts.ts";
import { readHeartBeats } from "./routes/operator/read-heart-beats.ts";
import { readOrgs } from "./routes/operator/read-orgs.ts";
import { readProcesses } from "./routes/operator/read-processes.ts";
import { readRunnerCard } from "./routes/operator/read-runner-card.ts";
import { readRunnerGroups } from "./routes/operator/read-runner-groups.ts";
import { readTokens } from "./routes/operator/read-tokens.ts";
import { removeAccount } from "./routes/operator/remove-account.ts";
import { requestShutdowns } from "./routes/operator/request-shutdowns.ts";
import { revokeToken } from "./routes/operator/revoke-token.ts";
import { rotateToken } from "./routes/operator/rotate-token.ts";
import { setAccountRoles } from "./routes/operator/set-account-roles.ts";
import { setRunnerLifecycle } from "./routes/operator/set-runner-lifecycle.ts";
import { updateCurrentOrg } from "./routes/operator/update-current-org.ts";
import { updateRunnerGroup } from "./routes/operator/update-runner-group.ts";
import { updateRunnerSettings } from "./routes/operator/update-runner-settings.ts";
import { updateRunner } from "./routes/operator/update-runner.ts";
import { appendLogs } from "./routes/runner/append-logs.ts";
import { claimJobs } from "./routes/runner/claim-jobs.ts";
import { completeShutdown } from "./routes/runner/complete-shutdown.ts";
import { createExecution } from "./routes/runner/create-execution.ts";
import { createHealthCheck } from "./routes/runner/create-health-check.ts";
import { createHeartBeat } from "./routes/runner/create-heart-beat.ts";
import { createReports } from "./routes/runner/create-reports.ts";
import { finishExecution, giveBackExecution } from "./routes/runner/finish-execution.ts";
import { leaveProcess } from "./routes/runner/leave-process.ts";
import { listRunnerJobs } from "./routes/runner/list-runner-jobs.ts";
import { readActionRuns } from "./routes/runner/read-action-runs.ts";
import { readExecutions } from "./routes/runner/read-executions.ts";
import { readJobs } from "./routes/runner/read-jobs.ts";
import { readRunner } from "./routes/runner/read-runner.ts";
import { registerProcess } from "./routes/runner/register-process.ts";
import { reportProgress } from "./routes/runner/report-progress.ts";
import { setJobStatus } from "./routes/runner/set-job-status.ts";
import { createOutputs, createResult } from "./routes/runner/store-result.ts";
import { storeTelemetry } from "./routes/runner/store-telemetry.ts";
import { tailJobs } from "./routes/runner/tail-jobs.ts";
import { updateActionRunStep } from "./routes/runner/update-action-run-step.ts";
import { updateExecution } from "./routes/runner/update-execution.ts";
import { helmCharts } from "./routes/state/helm-charts.ts";
import { helmReleases } from "./routes/state/helm-releases.ts";
import { keepStateJson, pulumiState } from "./routes/state/keep-state-json.ts";
import { lockWorkspaces } from "./routes/state/lock-workspaces.ts";
import { keepWorkspaces, operateWorkspaces } from "./routes/state/manage-workspaces.ts";
import { readRevisions } from "./routes/state/read-revisions.ts";
import { rescueStates } from "./routes/state/rescue-states.ts";
import { terraformBackend } from "./routes/state/terraform-backend.ts";

/** Every route there is, grouped by who calls it. */
const doors: readonly Door[] = [
  // Anyone
  readHealth,
  readMetrics,
  readReference,
  enrol,

  // Operators: who may do what
  listRoles,
  createOrg,
  readOrgs,
  updateCurrentOrg,
  createAccount,
  readAccounts,
  setAccountRoles,
  removeAccount,
  createToken,
  readTokens,
  revokeToken,
  rotateToken,
  createEnrolmentToken,

  // Operators: runners, their groups and settings
  createRunnerGroup,
  readRunnerGroups,
  updateRunnerGroup,
  deleteRunnerGroup,
  pauseRunnerGroups,
  createRunner,
  listRunners,
  updateRunner,
  setRunnerLifecycle,
  pauseRunners,
  updateRunnerSettings,
  manageRunner,
  readRunnerCard,

  // Operators: the processes of runners
  readProcesses,
  readHeartBeats,
  requestShutdowns,

  // Control planes: jobs
  enqueueJob,
  enqueueJobBatch,
  listJobs,
  getWaiting,
  followJobs,
  waitForJob,
  cancelJob,
  rerunJob,
  flushRunner,

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
  finishExecution,
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

/** Opens all routes on the app. */
export function openAllRoutes(app: App, broker: Broker): void {
  for (const open of doors) open(app, broker);
}

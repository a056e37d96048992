import type { CommandGroup } from "../shared/command-line/program.ts";
import { accountCommands } from "./accounts/account-commands.ts";
import { actionCommands } from "./actions/action-commands.ts";
import { allAppCommands } from "./apps/all-app-commands.ts";
import { exportAudit, listAudit } from "./audit/audit-commands.ts";
import { logIn, logOut, showAuth } from "./auth/auth-commands.ts";
import { openDashboard } from "./auth/open-dashboard.ts";
import type { Command } from "./command.ts";
import { emitterCommands } from "./emitters/emitter-commands.ts";
import { getExecution, listExecutions } from "./executions/execution-commands.ts";
import { callApi } from "./general/call-api.ts";
import { checkSetup } from "./general/check-setup.ts";
import { completeLine, showCompletion } from "./general/complete-line.ts";
import { showVersion } from "./general/show-version.ts";
import { groupCommands } from "./groups/group-commands.ts";
import { settingsCommands } from "./groups/group-settings.ts";
import {
  diffRelease,
  installRelease,
  uninstallRelease,
  upgradeRelease,
} from "./helm/helm-commands.ts";
import { installCommands } from "./installs/install-commands.ts";
import { inviteCommands } from "./invites/invite-commands.ts";
import { cancelJob } from "./jobs/cancel-job.ts";
import { createJob } from "./jobs/create-job.ts";
import { explainJob } from "./jobs/explain-job.ts";
import { getJob } from "./jobs/get-job.ts";
import { listJobs } from "./jobs/list-jobs.ts";
import { rerunJob } from "./jobs/rerun-job.ts";
import { runJob } from "./jobs/run-job.ts";
import { waitForJob } from "./jobs/wait-for-job.ts";
import { createToken } from "./local/create-token.ts";
import { listSchema, migrateUp } from "./local/migrate-database.ts";
import { runBroker } from "./local/run-broker.ts";
import { runDev } from "./local/run-dev.ts";
import { searchLog } from "./logs/search-log.ts";
import { showLog } from "./logs/show-log.ts";
import { tailLog } from "./logs/tail-log.ts";
import { applyManifest, deleteManifest, diffManifest } from "./manifests/manifest-commands.ts";
import { createOrg, getOrg, listOrgs, updateOrg } from "./orgs/org-commands.ts";
import { getProcess, listProcesses, shutDownProcess } from "./processes/process-commands.ts";
import { profileCommands } from "./profiles/profile-commands.ts";
import { createQueue, deleteQueue, updateQueue } from "./queues/manage-queue.ts";
import { pauseQueue, purgeQueue, resumeQueue } from "./queues/operate-queue.ts";
import { getQueue, listQueues } from "./queues/read-queues.ts";
import { listReleases, showRelease } from "./releases/read-releases.ts";
import { createRole, deleteRole, getRole, listRoles, updateRole } from "./roles/role-commands.ts";
import {
  cancelRollout,
  getRollout,
  listRolloutProcesses,
  listRollouts,
  startRollout,
} from "./rollouts/rollout-commands.ts";
import { createRunner } from "./runners/create-runner.ts";
import { deleteRunner } from "./runners/delete-runner.ts";
import { drainRunner } from "./runners/drain-runner.ts";
import { disableRunner, enableRunner } from "./runners/enable-runner.ts";
import { enrolRunner } from "./runners/enrol-runner.ts";
import { flushRunner } from "./runners/flush-runner.ts";
import { getRunner } from "./runners/get-runner.ts";
import { listRunners } from "./runners/list-runners.ts";
import { manageRunner } from "./runners/manage-runner.ts";
import { pauseRunner, resumeRunner } from "./runners/pause-runner.ts";
import { shutDownRunner } from "./runners/shut-down-runner.ts";
import { updateRunnerVersion } from "./runners/update-runner-version.ts";
import { createSignal } from "./signals/create-signal.ts";
import { cancelSignal, redriveSignal } from "./signals/end-signal.ts";
import { getSignal, listSignals } from "./signals/read-signals.ts";
import { showWebhookStats, showWorkflowStats } from "./stats/show-activity.ts";
import { showJobStats, showStats, showStatus } from "./stats/show-stats.ts";
import {
  applyTerraform,
  destroyTerraform,
  findDrift,
  planTerraform,
} from "./terraform/terraform-commands.ts";
import { listTokens, revokeToken, rotateToken } from "./tokens/token-commands.ts";
import { webhookCommands } from "./webhooks/webhook-commands.ts";
import { workflowCommands } from "./workflows/workflow-commands.ts";
import {
  blockWorkspace,
  lockWorkspace,
  rollBackWorkspace,
  unblockWorkspace,
  unlockWorkspace,
} from "./workspaces/hold-workspaces.ts";
import {
  diffRevisions,
  listRevisions,
  listWorkspaces,
  showWorkspace,
} from "./workspaces/read-workspaces.ts";
import {
  discardRescued,
  listRescued,
  pushRescued,
  readRescued,
} from "./workspaces/rescued-states.ts";

/** Every command of svc, in the order of help and docs/cli.md. */
export const commandGroups: readonly CommandGroup<Command>[] = [
  { title: "Run svc", commands: [runDev, runBroker, migrateUp, listSchema] },
  {
    title: "Access",
    commands: [
      logIn,
      showAuth,
      openDashboard,
      logOut,
      ...profileCommands,
      listOrgs,
      getOrg,
      createOrg,
      updateOrg,
      ...accountCommands,
      ...inviteCommands,
      createToken,
      listTokens,
      rotateToken,
      revokeToken,
      listRoles,
      getRole,
      createRole,
      updateRole,
      deleteRole,
      listAudit,
      exportAudit,
    ],
  },
  {
    title: "Runners",
    commands: [
      createRunner,
      enrolRunner,
      listRunners,
      getRunner,
      pauseRunner,
      resumeRunner,
      enableRunner,
      disableRunner,
      drainRunner,
      shutDownRunner,
      updateRunnerVersion,
      ...manageRunner,
      flushRunner,
      deleteRunner,
      listProcesses,
      getProcess,
      shutDownProcess,
      ...groupCommands,
      ...settingsCommands,
      startRollout,
      listRollouts,
      getRollout,
      listRolloutProcesses,
      cancelRollout,
    ],
  },
  { title: "Apps", commands: allAppCommands },
  { title: "Installs", commands: installCommands },
  { title: "Actions and workflows", commands: [...actionCommands, ...workflowCommands] },
  {
    title: "Jobs",
    commands: [
      runJob,
      createJob,
      listJobs,
      getJob,
      waitForJob,
      explainJob,
      cancelJob,
      rerunJob,
      listExecutions,
      getExecution,
    ],
  },
  {
    title: "Queues and schedules",
    commands: [
      createQueue,
      listQueues,
      getQueue,
      updateQueue,
      pauseQueue,
      resumeQueue,
      purgeQueue,
      deleteQueue,
      createSignal,
      listSignals,
      getSignal,
      cancelSignal,
      redriveSignal,
      ...emitterCommands,
    ],
  },
  { title: "Webhooks", commands: webhookCommands },
  {
    title: "Stats",
    commands: [showStatus, showStats, showJobStats, showWorkflowStats, showWebhookStats],
  },
  { title: "Logs", commands: [tailLog, showLog, searchLog] },
  {
    title: "Terraform",
    commands: [
      planTerraform,
      applyTerraform,
      destroyTerraform,
      findDrift,
      listWorkspaces,
      showWorkspace,
      listRevisions,
      diffRevisions,
      rollBackWorkspace,
      lockWorkspace,
      unlockWorkspace,
      blockWorkspace,
      unblockWorkspace,
      listRescued,
      readRescued,
      pushRescued,
      discardRescued,
    ],
  },
  {
    title: "Kubernetes and Helm",
    commands: [
      diffManifest,
      applyManifest,
      deleteManifest,
      diffRelease,
      upgradeRelease,
      installRelease,
      uninstallRelease,
      listReleases,
      showRelease,
    ],
  },
  {
    title: "Other",
    commands: [callApi, checkSetup, showCompletion, completeLine, showVersion],
  },
];

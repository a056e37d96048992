import { inviteActions } from "./access/invite-actions.ts";
import { listInvites } from "./access/list-invites.ts";
import { listRoles } from "./access/list-roles.ts";
import { roleActions } from "./access/role-actions.ts";
import { showRole } from "./access/show-role.ts";
import { account } from "./account/account.ts";
import { acceptInvite } from "./account/own-invites.ts";
import { listApps } from "./apps/list-apps.ts";
import { showApp } from "./apps/show-app.ts";
import { showConfig } from "./apps/show-config.ts";
import { listAudit } from "./audit/list-audit.ts";
import { buildActions } from "./builds/build-actions.ts";
import { showBuild } from "./builds/show-build.ts";
import { deployActions } from "./deploys/deploy-actions.ts";
import { showDeploy } from "./deploys/show-deploy.ts";
import { showSandboxRun } from "./deploys/show-sandbox-run.ts";
import { emitterActions } from "./emitters/emitter-actions.ts";
import { listEmitters } from "./emitters/list-emitters.ts";
import { showEmitter } from "./emitters/show-emitter.ts";
import { groupActions } from "./groups/group-actions.ts";
import { listGroups } from "./groups/list-groups.ts";
import { showGroup } from "./groups/show-group.ts";
import { installActions } from "./installs/install-actions.ts";
import { listInstalls } from "./installs/list-installs.ts";
import { showInstall } from "./installs/show-install.ts";
import { cancelMatching, rerunMatching } from "./jobs/bulk-actions.ts";
import { cancelJob, rerunJob } from "./jobs/job-actions.ts";
import { listJobs } from "./jobs/list-jobs.ts";
import { showChanges } from "./jobs/show-changes.ts";
import { showJob } from "./jobs/show-job.ts";
import { showPlan } from "./jobs/show-plan.ts";
import { showLog } from "./logs/show-log.ts";
import { changeOrg } from "./org/change-org.ts";
import { showOrg } from "./org/show-org.ts";
import { overview } from "./overview/overview.ts";
import type { Action, Page } from "./page.ts";
import { listQueues } from "./queues/list-queues.ts";
import { queueActions } from "./queues/queue-actions.ts";
import { showQueue } from "./queues/show-queue.ts";
import { listRollouts } from "./rollouts/list-rollouts.ts";
import { rolloutActions } from "./rollouts/rollout-actions.ts";
import { showRollout } from "./rollouts/show-rollout.ts";
import { listRunners } from "./runners/list-runners.ts";
import { runnerActions } from "./runners/runner-actions.ts";
import { showRunner } from "./runners/show-runner.ts";
import { createToken } from "./tokens/create-token.ts";
import { listTokens } from "./tokens/list-tokens.ts";
import { revokeToken } from "./tokens/revoke-token.ts";
import { listWebhooks } from "./webhooks/list-webhooks.ts";
import { showDelivery } from "./webhooks/show-delivery.ts";
import { showWebhook } from "./webhooks/show-webhook.ts";
import { webhookActions } from "./webhooks/webhook-actions.ts";
import { listWorkflows } from "./workflows/list-workflows.ts";
import { showWorkflow } from "./workflows/show-workflow.ts";
import { workflowActions } from "./workflows/workflow-actions.ts";
import { listWorkspaces } from "./workspaces/list-workspaces.ts";
import { showRevision } from "./workspaces/show-revision.ts";
import { showWorkspace } from "./workspaces/show-workspace.ts";
import { workspaceActions } from "./workspaces/workspace-actions.ts";

/** Every page there is; those with an entry in the navigation in its order. */
export const pages: readonly Page[] = [
  overview,
  listJobs,
  showJob,
  showLog,
  showPlan,
  showChanges,
  listApps,
  showApp,
  showConfig,
  showBuild,
  listInstalls,
  showInstall,
  showDeploy,
  showSandboxRun,
  listWorkflows,
  showWorkflow,
  listRunners,
  showRunner,
  listGroups,
  showGroup,
  listRollouts,
  showRollout,
  listQueues,
  showQueue,
  listEmitters,
  showEmitter,
  listWorkspaces,
  showWorkspace,
  showRevision,
  listWebhooks,
  showWebhook,
  showDelivery,
  listTokens,
  listAudit,
  showOrg,
  listInvites,
  listRoles,
  showRole,
  account,
];

/** Everything that can be done from a page. */
export const actions: readonly Action[] = [
  cancelMatching, // before those of one job, whose paths fit theirs
  rerunMatching,
  cancelJob,
  rerunJob,
  ...runnerActions,
  ...groupActions,
  ...rolloutActions,
  ...queueActions,
  ...emitterActions,
  ...workspaceActions,
  ...webhookActions,
  ...workflowActions,
  ...buildActions,
  ...installActions,
  ...deployActions,
  createToken, // before those of one token, whose paths fit theirs
  revokeToken,
  ...inviteActions,
  ...roleActions,
  changeOrg,
  acceptInvite,
];

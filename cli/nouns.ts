import type { Command } from "./command.ts";

/** The nouns that help shows under one title. */
export type NounGroup = {
  readonly title: string;
  readonly nouns: Readonly<Record<string, () => Promise<readonly Command[]>>>;
};

/**
 * Where the commands of each noun are, in the order of help and docs/cli.md. A module is loaded when its noun is typed: all of
 * them take longer than most commands do.
 */
export const nounGroups: readonly NounGroup[] = [
  {
    title: "Run svc",
    nouns: {
      dev: async () => [(await import("./local/run-dev.ts")).runDev],
      broker: async () => [(await import("./local/run-broker.ts")).runBroker],
      migrate: async () => (await import("./local/migrate-database.ts")).migrateCommands,
    },
  },
  {
    title: "Access",
    nouns: {
      auth: async () => (await import("./auth/auth-commands.ts")).authCommands,
      dashboard: async () => [(await import("./auth/open-dashboard.ts")).openDashboard],
      profile: async () => (await import("./profiles/profile-commands.ts")).profileCommands,
      org: async () => (await import("./orgs/org-commands.ts")).orgCommands,
      account: async () => (await import("./accounts/account-commands.ts")).accountCommands,
      invite: async () => (await import("./invites/invite-commands.ts")).inviteCommands,
      token: async () => (await import("./tokens/token-commands.ts")).tokenCommands,
      role: async () => (await import("./roles/role-commands.ts")).roleCommands,
      audit: async () => (await import("./audit/audit-commands.ts")).auditCommands,
    },
  },
  {
    title: "Runners",
    nouns: {
      runner: async () => (await import("./runners/runner-commands.ts")).runnerCommands,
      process: async () => (await import("./processes/process-commands.ts")).processCommands,
      group: async () => [
        ...(await import("./groups/group-commands.ts")).groupCommands,
        ...(await import("./groups/group-settings.ts")).settingsCommands,
      ],
      rollout: async () => (await import("./rollouts/rollout-commands.ts")).rolloutCommands,
    },
  },
  {
    title: "Apps",
    nouns: {
      app: async () => (await import("./apps/all-app-commands.ts")).allAppCommands,
      component: async () => (await import("./apps/parts/component-commands.ts")).componentCommands,
      build: async () => (await import("./builds/build-commands.ts")).buildCommands,
      sandbox: async () => [
        ...(await import("./builds/sandbox-commands.ts")).sandboxCommands,
        ...(await import("./deploys/sandbox-run-commands.ts")).sandboxRunCommands,
      ],
      policy: async () => (await import("./policies/policy-commands.ts")).policyCommands,
      registry: async () => (await import("./registry/registry-commands.ts")).registryCommands,
    },
  },
  {
    title: "Installs",
    nouns: {
      install: async () => (await import("./installs/install-commands.ts")).installCommands,
      deploy: async () => (await import("./deploys/deploy-commands.ts")).deployCommands,
    },
  },
  {
    title: "Actions and workflows",
    nouns: {
      action: async () => (await import("./actions/action-commands.ts")).actionCommands,
      workflow: async () => (await import("./workflows/workflow-commands.ts")).workflowCommands,
    },
  },
  {
    title: "Jobs",
    nouns: {
      job: async () => (await import("./jobs/job-commands.ts")).jobCommands,
      execution: async () => (await import("./executions/execution-commands.ts")).executionCommands,
    },
  },
  {
    title: "Queues and schedules",
    nouns: {
      queue: async () => (await import("./queues/queue-commands.ts")).queueCommands,
      signal: async () => (await import("./signals/signal-commands.ts")).signalCommands,
      emitter: async () => (await import("./emitters/emitter-commands.ts")).emitterCommands,
    },
  },
  {
    title: "Webhooks",
    nouns: {
      webhook: async () => (await import("./webhooks/webhook-commands.ts")).webhookCommands,
    },
  },
  {
    title: "Stats",
    nouns: {
      status: async () => [(await import("./stats/show-stats.ts")).showStatus],
      stats: async () => (await import("./stats/stats-commands.ts")).statsCommands,
    },
  },
  {
    title: "Logs",
    nouns: { log: async () => (await import("./logs/log-commands.ts")).logCommands },
  },
  {
    title: "Terraform",
    nouns: {
      terraform: async () => (await import("./terraform/terraform-commands.ts")).terraformCommands,
      workspace: async () => (await import("./workspaces/workspace-commands.ts")).workspaceCommands,
    },
  },
  {
    title: "Kubernetes and Helm",
    nouns: {
      manifest: async () => (await import("./manifests/manifest-commands.ts")).manifestCommands,
      helm: async () => (await import("./helm/helm-commands.ts")).helmCommands,
      release: async () => (await import("./releases/release-commands.ts")).releaseCommands,
    },
  },
  {
    title: "Other",
    nouns: {
      api: async () => [(await import("./general/call-api.ts")).callApi],
      doctor: async () => [(await import("./general/check-setup.ts")).checkSetup],
      completion: async () => (await import("./general/completion-commands.ts")).completionCommands,
      version: async () => [(await import("./general/show-version.ts")).showVersion],
    },
  },
];

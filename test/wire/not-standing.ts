/** What clients of the API call and no route answers yet, by the reason. A route that stands leaves this table. */
export const notStanding: Readonly<Record<string, string>> = {
  "Slack comes later.": `
    POST /slack/commands/svc
    POST /slack/events
    POST /slack/interactions
    GET /slack/oauth/callback
    GET,POST /v1/orgs/{org_id}/slack/channel-subscriptions
    DELETE,PATCH /v1/orgs/{org_id}/slack/channel-subscriptions/{sub_id}
    GET /v1/orgs/{org_id}/slack/install-url
    GET /v1/orgs/{org_id}/slack/installations
    GET /v1/orgs/{org_id}/slack/installations/{installation_id}/channels
    GET /v1/orgs/{org_id}/slack/org-links
    DELETE /v1/orgs/{org_id}/slack/org-links/{link_id}
`,
  "Source control comes later.": `
    POST /v1/vcs/connection-callback
    GET,POST /v1/vcs/connections
    DELETE,GET /v1/vcs/connections/{connection_id}
    GET /v1/vcs/connections/{connection_id}/branches
    GET /v1/vcs/connections/{connection_id}/check-status
    GET /v1/vcs/connections/{connection_id}/repos
    GET,POST /v1/vcs/connections/{connection_id}/webhook-subscription
    POST /v1/vcs/webhooks/{subscription_id}/events
    POST /v1/vcs/{vcs_connection_id}/events
`,
  "Branches of apps come later.": `
    GET,POST /v1/apps/{app_id}/branches
    DELETE,GET,PATCH /v1/apps/{app_id}/branches/{app_branch_id}
    GET,POST /v1/apps/{app_id}/branches/{app_branch_id}/configs
    GET /v1/apps/{app_id}/branches/{app_branch_id}/latest-config
    GET,POST /v1/apps/{app_id}/branches/{app_branch_id}/runs
    GET /v1/apps/{app_id}/branches/{app_branch_id}/runs/{run_id}/builds
    GET /v1/apps/{app_id}/branches/{app_branch_id}/runs/{run_id}/install-group-runs
    GET /v1/apps/{app_id}/branches/{app_branch_id}/runs/{run_id}/install-group-runs/{install_group_run_id}
    GET /v1/apps/{app_id}/branches/{app_branch_id}/runs/{run_id}/install-groups
    POST /v1/apps/{app_id}/branches/{app_branch_id}/sync-install-configs
`,
  "Notebooks come later.": `
    GET,POST /v1/installs/{install_id}/notebooks
    DELETE,GET,PATCH /v1/installs/{install_id}/notebooks/{notebook_id}
    POST /v1/installs/{install_id}/notebooks/{notebook_id}/cells
    PUT /v1/installs/{install_id}/notebooks/{notebook_id}/cells/reorder
    DELETE,PATCH /v1/installs/{install_id}/notebooks/{notebook_id}/cells/{cell_id}
    GET,POST /v1/installs/{install_id}/notebooks/{notebook_id}/cells/{cell_id}/runs
    GET /v1/installs/{install_id}/notebooks/{notebook_id}/runs/{run_id}
`,
  "Health of installs comes later.": `
    GET /v1/installs/health
    GET /v1/installs/{install_id}/components/{component_id}/health/checks
    PUT /v1/installs/{install_id}/components/{component_id}/health/checks/{check_name}
    GET /v1/installs/{install_id}/components/{component_id}/health/incident
    GET /v1/installs/{install_id}/components/{component_id}/health/timeline
    POST /v1/installs/{install_id}/health/baseline
    POST /v1/installs/{install_id}/health/cluster-access
    GET /v1/installs/{install_id}/health/timeline
    GET /v1/installs/{install_id}/resources
`,
  "Stacks come later.": `
    GET /v1/installs/stacks/{stack_id}
    POST /v1/installs/{install_id}/phone-home/{phone_home_id}
    POST /v1/installs/{install_id}/reprovision-stack
    GET /v1/installs/{install_id}/stack
    GET /v1/installs/{install_id}/stack-runs
    POST /v1/onboarding/current/steps/your-stack
`,
  "Roles of installs come later.": `
    GET /v1/installs/{install_id}/app-permissions-config
    GET /v1/installs/{install_id}/available-roles
    GET /v1/installs/{install_id}/roles
    GET /v1/installs/{install_id}/roles/latest
    PATCH /v1/installs/{install_id}/roles/{role_id}
`,
  "Runs of runbooks come later.": `
    GET /v1/installs/{install_id}/runbook-runs
    GET /v1/installs/{install_id}/runbook-runs/{run_id}
    GET /v1/installs/{install_id}/runbooks
    GET /v1/installs/{install_id}/runbooks/{runbook_id}
    POST /v1/installs/{install_id}/runbooks/{runbook_id}/runs
`,
  "People and their accounts come later.": `
    POST /v1/oidc/token
    GET,POST /v1/oidc/trust-policies
    DELETE,GET,PATCH /v1/oidc/trust-policies/{policy_id}
    POST /v1/onboarding
    DELETE,GET /v1/onboarding/current
    POST /v1/onboarding/current/steps/deploy
    POST /v1/onboarding/current/steps/get-started
    POST /v1/onboarding/current/steps/install
    POST /v1/onboarding/current/steps/organization
    GET /v1/onboarding/example-apps
`,
  "What becomes of an org's people, audit log and events when it goes is said with people.": `
    DELETE /v1/orgs/current
`,
  "Files of installs in a repository, and what each sync of them changed, come with branches.": `
    GET,POST /v1/apps/{app_id}/install-syncs
    GET /v1/apps/{app_id}/install-syncs/{sync_id}
    POST /v1/apps/{app_id}/install-syncs/{sync_id}/approvals/{approval_id}/response
    GET,POST /v1/apps/{app_id}/installs-configs
    DELETE /v1/apps/{app_id}/installs-configs/{config_id}
    GET /v1/installs/{install_id}/config-syncs
    GET /v1/installs/{install_id}/config-versions
    GET /v1/installs/{install_id}/config-versions/{version_id}/diff
    POST /v1/installs/{install_id}/sync-config
`,
};

import type { RunnerSettingsChanges } from "./api/runner-settings.ts";

/** What a setting of a runner group does, and which program does it; `nobody` only stores it and hands it to runners. */
export type SettingEffect = {
  readonly by: "broker" | "svc-agent" | "svc-agent mng" | "nobody";
  readonly does: string;
};

const informational = (does: string): SettingEffect => ({ by: "nobody", does });
const mng = (does: string): SettingEffect => ({ by: "svc-agent mng", does });
const agent = (does: string): SettingEffect => ({ by: "svc-agent", does });
const broker = (does: string): SettingEffect => ({ by: "broker", does });

const forStacks = "For the templates that create a runner's cloud resources.";

/** Every setting of a runner group; docs/agent-reference.md shows the table. */
export const runnerSettingEffects: Readonly<Record<keyof RunnerSettingsChanges, SettingEffect>> = {
  container_image_url: mng("Repository of the image that the host follows (driver docker)."),
  container_image_tag: mng(
    "Tag or digest of that image; svc-agent takes it for the target of a job update-version.",
  ),
  container_image_signature_issuer: mng(
    "With the next one: cosign must verify that this issuer's certificate signed the image, unless the host has mng-image-issuer.",
  ),
  container_image_signature_identity_regexp: mng("The identity that must have signed it."),
  container_max_uptime: agent(
    "Longest life of an agent's process: it finishes what runs, however long that takes, and restarts.",
  ),
  vm_max_uptime: mng(
    "Longest time that a host is up: the agent finishes what runs, then the host is powered off, if its owner allows it.",
  ),
  aws_max_instance_lifetime: informational(
    "Deprecated: without effect, also for svc-agent. Set vm_max_uptime.",
  ),
  aws_instance_type: informational(forStacks),
  aws_auth_method: informational("For third-party runners that prove who they are by their cloud."),
  aws_cloudformation_stack_type: informational(forStacks),
  aws_tags: informational(forStacks),
  binary_version: mng(
    "Version that the host follows (drivers child and systemd); svc-agent takes it for the target of a job update-version.",
  ),
  runner_binary_url: mng("Where versions are downloaded, if it is among mng-releases of the host."),
  runner_api_url: broker("The URL of log streams, for clients that read and write them."),
  org_aws_iam_role_arn: informational(forStacks),
  org_awsiam_role_arn: informational("Another name of org_aws_iam_role_arn in changes."),
  org_azure_client_id: informational(forStacks),
  org_gcp_service_account: informational(forStacks),
  org_k8s_service_account_name: informational(forStacks),
  local_aws_iam_role_arn: informational(forStacks),
  enable_logging: informational(
    "For third-party runners. svc-agent always sends the logs of jobs.",
  ),
  enable_metrics: informational(
    "For third-party runners. svc-agent serves its metrics on its own host.",
  ),
  enable_sentry: informational("For third-party runners. svc-agent reports to no other service."),
  logging_level: agent("Level of the agent's own log, unless log-level is set on its host."),
  metadata: informational("For the control plane's own notes."),
  otel_collector_config: informational("For a collector that is run beside a third-party runner."),
  telemetry_relay_endpoint: informational("For third-party runners that send telemetry elsewhere."),
  vendor_telemetry_enabled: informational("For third-party runners that send telemetry elsewhere."),
  vendor_telemetry_resource_attributes: informational(
    "For third-party runners that send telemetry elsewhere.",
  ),
  groups: broker("Job groups of processes that do not announce any."),
  job_group_parallelism: broker("How many jobs of a group run at once."),
  job_group_max_depth: broker("How many jobs of a group may wait."),
  heart_beat_timeout: agent("Time between two heartbeats."),
  sandbox_mode: agent("Jobs are simulated."),
};

import type {
  RunnerSettings,
  RunnerSettingsChanges,
  RunnerSettingsDocument,
} from "../../shared/api/runner-settings.ts";
import { type Pointer, problem } from "../../shared/problem.ts";
import { defaultServes } from "../../shared/process-groups.ts";
import type { RunnerGroupType, RunnerPlatform } from "../../shared/runner-platforms.ts";
import type { RunnerSettingsRow } from "./row.ts";

/** The settings that can be changed, as they are stored. */
export type StoredSettings = Pick<
  RunnerSettingsRow,
  "groups" | "job_group_max_depth" | "heart_beat_timeout" | "sandbox_mode"
> & {
  readonly job_group_parallelism: Readonly<Record<string, string>>;
  readonly document: Partial<RunnerSettingsDocument>;
};

const defaultDocument: RunnerSettingsDocument = {
  container_image_url: "",
  container_image_tag: "",
  container_image_signature_issuer: "",
  container_image_signature_identity_regexp: "",
  container_max_uptime: 0,
  vm_max_uptime: 0,
  aws_max_instance_lifetime: 0,
  aws_instance_type: "",
  aws_auth_method: "",
  aws_cloudformation_stack_type: "",
  aws_tags: {},
  binary_version: "",
  runner_binary_url: "",
  runner_api_url: "",
  org_aws_iam_role_arn: "",
  org_azure_client_id: "",
  org_gcp_service_account: "",
  org_k8s_service_account_name: "",
  local_aws_iam_role_arn: "",
  enable_logging: true,
  enable_metrics: true,
  enable_sentry: false,
  logging_level: "INFO",
  metadata: {},
  otel_collector_config: "",
  telemetry_relay_endpoint: "",
  vendor_telemetry_enabled: false,
  vendor_telemetry_resource_attributes: {},
};

/** The first settings of a group of this type. */
export function firstSettings(type: RunnerGroupType): StoredSettings {
  return {
    groups: Object.keys(defaultServes(type, false) ?? {}),
    job_group_parallelism: {},
    job_group_max_depth: 10_000,
    heart_beat_timeout: 5e9,
    sandbox_mode: false,
    document: {},
  };
}

/** The settings after the changes; 422 when they contradict each other. `at` is their place in the request. */
export function changeSettings(
  present: StoredSettings,
  changes: RunnerSettingsChanges,
  at: Pointer = "#",
): StoredSettings {
  const {
    groups = present.groups,
    job_group_parallelism = present.job_group_parallelism,
    job_group_max_depth = present.job_group_max_depth,
    heart_beat_timeout = present.heart_beat_timeout,
    sandbox_mode = present.sandbox_mode,
    org_awsiam_role_arn: otherArn,
    ...rest
  } = changes;
  const { org_aws_iam_role_arn: arn = otherArn } = rest;
  if (otherArn !== undefined && otherArn !== arn) throw differs(at);
  const named = { ...rest, org_aws_iam_role_arn: arn };
  const document = { ...present.document, ...given(named) };
  requireWholeSignature(document, at);
  return {
    groups: [...groups],
    job_group_parallelism: given(job_group_parallelism),
    job_group_max_depth,
    heart_beat_timeout,
    sandbox_mode,
    document,
  };
}

/** The changeable part of a row. */
export function storedSettings(row: RunnerSettingsRow): StoredSettings {
  return {
    groups: row.groups,
    job_group_parallelism: row.job_group_parallelism,
    job_group_max_depth: row.job_group_max_depth,
    heart_beat_timeout: row.heart_beat_timeout,
    sandbox_mode: row.sandbox_mode,
    document: row.document, // written by this file only
  };
}

/** Settings as the API shows them. */
export function toRunnerSettings(
  row: RunnerSettingsRow & { readonly platform: RunnerPlatform },
): RunnerSettings {
  const stored = storedSettings(row);
  const document = { ...defaultDocument, ...stored.document };
  const isVerified = document.container_image_signature_issuer !== "";
  return {
    id: row.id,
    org_id: row.org_id,
    runner_group_id: row.runner_group_id,
    version: row.version,
    platform: row.platform,
    groups: stored.groups,
    job_group_parallelism: { ...stored.job_group_parallelism },
    job_group_max_depth: stored.job_group_max_depth,
    heart_beat_timeout: stored.heart_beat_timeout,
    sandbox_mode: stored.sandbox_mode,
    ...document,
    container_image_verification_mode: isVerified ? "keyless" : "none",
    long_poll_jobs: true,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    created_by_id: row.created_by_id,
  };
}

/** An issuer without an identity, or the reverse, would check nothing. */
function requireWholeSignature(document: Partial<RunnerSettingsDocument>, at: Pointer): void {
  const issuer = document.container_image_signature_issuer ?? "";
  const identity = document.container_image_signature_identity_regexp ?? "";
  if ((issuer === "") === (identity === "")) return;
  const missing = issuer === "" ? "issuer" : "identity_regexp";
  throw problem.invalid([
    {
      pointer: `${at}/container_image_signature_${missing}`,
      code: "signature_incomplete",
      detail: "Set both the issuer and the identity of the image's signature, or neither.",
    },
  ]);
}

const differs = (at: Pointer): Error => {
  const detail =
    "org_aws_iam_role_arn and org_awsiam_role_arn are two names of one setting. Give one.";
  return problem.invalid([{ pointer: `${at}/org_awsiam_role_arn`, code: "one_of", detail }]);
};

type Given<Members> = { [Name in keyof Members]: Exclude<Members[Name], undefined> };

/** The members that have a value. */
function given<Members extends object>(members: Members): Given<Members> {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Given<Members>; // only members without a value were left out
}

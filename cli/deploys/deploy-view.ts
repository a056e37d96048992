import type { InstallComponent } from "../../shared/api/install-components.ts";
import type { InstallDeploy, InstallSandboxRun } from "../../shared/api/install-deploys.ts";
import { shownDeployWord } from "../../shared/deploy-words.ts";
import { shortDigest } from "../builds/build-view.ts";
import { formatAge, formatInstant } from "../output/format-age.ts";
import type { View } from "../output/print.ts";

type Either = InstallDeploy | InstallSandboxRun;
type Counts = Partial<Record<"added" | "changed" | "replaced" | "removed", number | undefined>>;

const nameOf = ({ id }: Either): string => id;

/** How many objects a plan changes; empty before it is planned. */
export function changesText(changes: Counts): string {
  const words = (["added", "changed", "replaced", "removed"] as const).flatMap((what) =>
    (changes[what] ?? 0) === 0 ? [] : [`${String(changes[what])} ${what}`],
  );
  return words.length === 0 && Object.keys(changes).length > 0 ? "none" : words.join(", ");
}

const sameColumns = {
  STATUS: (deploy: Either) =>
    deploy.plan_only ? `${shownDeployWord(deploy)}, plan only` : deploy.status,
  CHANGES: ({ changes }: Either) => changesText(changes),
  DIGEST: ({ oci_artifact: made }: Either) => shortDigest(made?.digest ?? ""),
  WORKFLOW: ({ workflow_id: id }: Either) => id,
  AGE: ({ created_at: at }: Either) => formatAge(at),
};

const typeOf = ({ install_deploy_type: type, is_recovery: isRecovery }: InstallDeploy): string =>
  isRecovery ? "recover" : type;

/** A deploy in a list. */
export const deployLine: View<InstallDeploy> = {
  nameOf,
  columns: {
    ID: nameOf,
    COMPONENT: ({ component_name: name }) => name,
    TYPE: typeOf,
    ...sameColumns,
  },
};

/** A run of a sandbox in a list. */
export const runLine: View<InstallSandboxRun> = {
  nameOf,
  columns: { ID: nameOf, TYPE: ({ run_type: type }) => type, ...sameColumns },
};

const sameDetails = {
  status: (deploy: Either) =>
    [shownDeployWord(deploy), deploy.status_description].filter((word) => word !== "").join(": "),
  build: ({ build_id: id }: Either) => id,
  artifact: ({ oci_artifact: made }: Either) =>
    made === undefined ? "" : `${made.repository}:${made.tag}@${made.digest}`,
  changes: ({ changes }: Either) => changesText(changes),
  role: ({ role }: Either) => role,
  config: ({ app_config_id: id }: Either) => id,
  workflow: ({ workflow_id: id }: Either) => id,
  planned: ({ plan_job_id: job, planned_at: at }: Either) =>
    [job ?? "", at === null ? "" : formatInstant(at)].join(" ").trim(),
  applied: ({ apply_job_id: job, applied_at: at }: Either) =>
    [job ?? "", at === null ? "" : formatInstant(at)].join(" ").trim(),
  created: ({ created_at: at }: Either) => formatInstant(at),
  finished: ({ finished_at: at }: Either) => (at === null ? "" : formatInstant(at)),
  error: ({ composite_error: error }: Either) => error?.detail ?? "",
};

/** One deploy, whole. */
export const deployDetails: View<InstallDeploy> = {
  nameOf,
  columns: {
    deploy: nameOf,
    component: ({ component_name: name, component_id: id }) => `${name} (${id})`,
    type: (deploy) =>
      `${typeOf(deploy)} of ${deploy.component_type}${deploy.plan_only ? ", plan only" : ""}`,
    ...sameDetails,
  },
};

/** One run, whole. */
export const runDetails: View<InstallSandboxRun> = {
  nameOf,
  columns: {
    run: nameOf,
    type: ({ run_type: type, plan_only: isPlan }) => `${type}${isPlan ? ", plan only" : ""}`,
    ...sameDetails,
  },
};

/** A component of an install in a list. */
export const installComponentLine: View<InstallComponent> = {
  nameOf: ({ component_name: name }) => name,
  columns: {
    NAME: ({ component_name: name }) => name,
    TYPE: ({ component_type: type }) => type,
    STATUS: ({ status, enabled }) =>
      enabled === false ? `${status}, off`.replace(/^, /, "") : status,
    BUILD: (component) => deployedOf(component)?.build_id ?? "",
    DIGEST: (component) => shortDigest(deployedOf(component)?.oci_artifact?.digest ?? ""),
    DRIFT: ({ drifted_object: drifted }) => (drifted === undefined ? "" : changesText(drifted)),
    DEPLOY: ({ latest_id: id }) => id ?? "",
  },
};

const deployedOf = ({ deployed_id: id, install_deploys: deploys }: InstallComponent) =>
  deploys.find((deploy) => deploy.id === id);

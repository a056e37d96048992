import type { Json } from "../../../shared/app-config/templates/json-value.ts";
import type { RenderWork } from "../../../shared/app-config/templates/render-work.ts";
import { hiddenValue } from "../../../shared/hidden-value.ts";
import { checkPlan } from "../../../shared/plans/check-plan.ts";
import { planNames } from "../../../shared/plans/plan-names.ts";
import { mostPlanBytes } from "../../actions/action-plan.ts";
import {
  clusterAt,
  type ClusterInfo,
  clusterInfoOf,
  clusterTemplates,
  sandboxCluster,
  shownCluster,
} from "../../deploys/plan/cluster-info-of.ts";
import { clusterHidden, clusterMissing } from "../../deploys/plan/cluster-places.ts";
import type { StateBase } from "../../installs/state-base.ts";
import type { StateValues } from "../../installs/state-values.ts";
import type { PlanWords } from "../../rendering/plan-words.ts";
import { renderForPlan } from "../../rendering/render-for-plan.ts";
import { mostSecrets, writePlan } from "../../rendering/write-plan.ts";
import { faultOf } from "../../workflows/machine/step-kind.ts";
import type { CompositeFault } from "../../workflows/machine/workflow-rows.ts";
import type { SecretConfigPart, SecretToSync } from "./choose-secrets.ts";
import { storeAuths, withSignIn } from "./secret-identities.ts";

/** A sync of secrets whose plan is to be rendered, as JSON. */
export type SyncOrder = { readonly facts: StateBase; readonly chosen: readonly SecretToSync[] };
/** The plan of its job, and its twin for people. */
export type SyncPlanTexts = {
  readonly text: string;
  readonly shown: string;
  readonly names: readonly string[];
};

type Members = Readonly<Record<string, unknown>>;
/** What of secrets may have templates, by their names; and the cluster. */
type Given = {
  readonly secret: Readonly<Record<string, Copies>>;
  readonly cluster: Json;
};
type Copies = Pick<
  SecretConfigPart,
  "kubernetes_secret_name" | "kubernetes_secret_namespace" | "kubernetes_sync_targets"
>;

/** The plan of a job that copies secrets out of the customer's stores into the cluster, or makes their values there. It names places, and has no value. */
export function planSecrets(
  { facts: base, chosen }: SyncOrder,
  values: StateValues,
  work: RenderWork,
): SyncPlanTexts | CompositeFault {
  const facts = { ...base, ...values };
  const place = { file: "secrets.toml", member: "" };
  const given = givenOf(chosen);
  const rendered = renderForPlan(given as unknown as Json, facts, place, { work, words });
  if ("code" in rendered) return rendered;
  const [real, masked] = [rendered.value, rendered.twin] as unknown as readonly [Given, Given];
  const at = clusterAt(real.cluster);
  const cluster = clusterInfoOf(real.cluster, at, base.install);
  const isCopied = chosen.some(({ secret }) => secret.kubernetes_sync === true);
  if (isCopied && cluster === undefined && needsCluster(base.install))
    return clusterMissing(base, undefined, "secrets.toml: secrets are copied into a cluster.");
  const hidden = isCopied ? clusterHidden(cluster) : undefined;
  if (hidden !== undefined) return hidden;
  const shown = shownCluster(clusterInfoOf(masked.cluster, at, base.install));
  const plan = planOf({ base, chosen, isCopied }, real, cluster);
  const [wrong] = checkPlan("sandbox-sync-secrets", plan);
  if (wrong !== undefined)
    throw new Error(`a plan of secrets: ${wrong.path.join(".")} ${wrong.message}`);
  const twin = {
    ...planOf({ base, chosen, isCopied }, masked, shown),
    ...(rendered.isMasked && { secrets: [hiddenValue] }), // how many is told to nobody
  };
  const bounds = { work, words, mostBytes: mostPlanBytes, tooLong };
  const written = writePlan({ plan, twin, made: rendered.made }, facts, bounds);
  return "code" in written ? written : { ...written, names: planNames(plan) };
}

const givenOf = (chosen: readonly SecretToSync[]): Given => ({
  secret: Object.fromEntries(chosen.map(({ secret }) => [secret.name, copiesOf(secret)])),
  cluster: clusterTemplates(sandboxCluster),
});

/** Targets count where there are any; of one that is not copied nothing does. */
function copiesOf({ kubernetes_sync: isCopied, ...secret }: SecretConfigPart): Copies {
  if (isCopied !== true) return {};
  const { kubernetes_sync_targets: targets = [] } = secret;
  if (targets.length > 0) return { kubernetes_sync_targets: targets };
  const { kubernetes_secret_name, kubernetes_secret_namespace } = secret;
  return {
    ...(kubernetes_secret_name !== undefined && { kubernetes_secret_name }),
    ...(kubernetes_secret_namespace !== undefined && { kubernetes_secret_namespace }),
  };
}

type Sync = {
  readonly base: StateBase;
  readonly chosen: readonly SecretToSync[];
  readonly isCopied: boolean;
};

function planOf(
  { base: { install }, chosen, isCopied }: Sync,
  { secret: copies }: Given,
  cluster: ClusterInfo | undefined,
): Members {
  return {
    kubernetes_secrets: chosen.map((one) => memberOf(one, copies[one.secret.name] ?? {})),
    ...(isCopied &&
      (cluster === undefined
        ? { host_cluster: true }
        : { cluster_info: withSignIn(cluster, install) })),
    ...storeAuths(chosen.map(({ place }) => place)),
    ...(install.sandbox_mode === true && { sandbox_mode: { enabled: true } }),
  };
}

function memberOf({ secret, place }: SecretToSync, copies: Copies): Members {
  const { name, format, required, auto_generate: makes } = secret;
  const { kubernetes_secret_name: copy, kubernetes_secret_namespace: namespace } = copies;
  const { arn, gcp_secret_name, azure_key_vault_secret_id } = place;
  return {
    secret_name: name,
    ...(arn !== "" && { secret_arn: arn }),
    ...(gcp_secret_name !== "" && { gcp_secret_name }),
    ...(azure_key_vault_secret_id !== "" && { azure_key_vault_secret_id }),
    ...(format !== undefined && format !== "" && { format }),
    ...(namespace !== undefined && { namespace }),
    ...(copy !== undefined && { name: copy }),
    ...(copies.kubernetes_sync_targets && { targets: copies.kubernetes_sync_targets }),
    ...(required === true && { required: true }),
    ...(makes === true && { auto_generate: true }),
  };
}

const needsCluster = ({ cloud_platform: cloud, sandbox_mode: is }: StateBase["install"]): boolean =>
  cloud !== "unknown" && is !== true;

const words: PlanWords = {
  config: "config of secrets",
  tooLarge:
    "The plan is too large for all that is sensitive to be looked for in it. Let secrets have fewer targets.",
  tooMuch: `Sensitive values in the plan expand to more than logs can hide: ${mostSecrets} texts, 1 MiB together. Let its templates write less of them.`,
};
const tooLong = (): CompositeFault =>
  faultOf(
    "render_failed",
    "Its plan is too long",
    `Its plan, with its masked twin, is longer than ${mostPlanBytes} bytes. Let secrets have fewer targets.`,
  );

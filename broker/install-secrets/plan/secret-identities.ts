import { awsSecretArn } from "../../../shared/plans/secret-places.ts";
import type { ClusterInfo } from "../../deploys/plan/cluster-info-of.ts";
import type { SecretPlaceMembers, StateBase } from "../../installs/state-base.ts";

type Members = Readonly<Record<string, unknown>>;

/** Who reads the stores that secrets are in: of each cloud the runner itself. */
export function storeAuths(places: readonly SecretPlaceMembers[]): Members {
  const arn = places.find((place) => place.arn !== "")?.arn;
  const name = places.find((place) => place.gcp_secret_name !== "")?.gcp_secret_name;
  const isInAzure = places.some((place) => place.azure_key_vault_secret_id !== "");
  return {
    ...(arn !== undefined && {
      aws_auth: { use_default: true, region: awsSecretArn.exec(arn)?.[1] ?? "" },
    }),
    ...(name !== undefined && { gcp_auth: { project_id: name.split("/")[1] ?? "" } }),
    ...(isInAzure && { azure_auth: { use_default: true } }),
  };
}

/** The cluster with who signs in there, where its outputs do not say it: the runner itself, whatever clouds the secrets are in. */
export function withSignIn(
  cluster: ClusterInfo,
  { cloud_account: account }: StateBase["install"],
): Members {
  const { cloud, region } = cluster;
  const { project_id: project } = account as Members;
  if (cloud === "aws")
    return { ...cluster, aws_auth: { use_default: true, ...(region && { region }) } };
  if (cloud === "azure") return { ...cluster, azure_auth: { use_default: true } };
  if (cloud === "gcp" && typeof project === "string")
    return { ...cluster, gcp_auth: { project_id: project } };
  return cluster;
}

import type { AppConfigDocument } from "../../../shared/app-config/config-files.ts";
import type { KnownSecret, SecretPlaceMembers, StateBase } from "../../installs/state-base.ts";
import { faultOf } from "../../workflows/machine/step-kind.ts";
import type { CompositeFault } from "../../workflows/machine/workflow-rows.ts";

export type SecretConfigPart = NonNullable<
  NonNullable<AppConfigDocument["secrets"]>["secret"]
>[number];
/** A secret that is copied, or gets a value, and where it is. */
export type SecretToSync = {
  readonly secret: SecretConfigPart;
  readonly place: SecretPlaceMembers;
};

type Of = Pick<StateBase, "install"> & { readonly secrets?: readonly KnownSecret[] | undefined };

/** What of a config's secrets is copied into the cluster, or gets a value in its store: that of which it is known where it is. Or which of them is required, and nobody has said where it is. */
export function chooseSecrets(
  { install, secrets: known = [] }: Of,
  secrets: readonly SecretConfigPart[],
): readonly SecretToSync[] | CompositeFault {
  const places = new Map(known.map(({ name, place }) => [name, place]));
  const wanted = secrets.filter(
    ({ kubernetes_sync: copies, auto_generate: makes }) => copies === true || makes === true,
  );
  const missing = wanted.filter(
    ({ name, required }) => required === true && places.get(name) === undefined,
  );
  if (missing.length > 0) return notPlaced(install, missing);
  return wanted.flatMap((secret) => {
    const place = places.get(secret.name);
    return place === undefined ? [] : [{ secret, place }];
  });
}

const flags: Readonly<Record<string, string>> = {
  aws: "--arn ARN",
  gcp: "--gcp-name projects/PROJECT/secrets/NAME",
  azure: "--vault-id https://VAULT.vault.azure.net/secrets/NAME",
};

function notPlaced(
  { id, cloud_platform: cloud }: StateBase["install"],
  missing: readonly SecretConfigPart[],
): CompositeFault {
  const flag = flags[cloud] ?? "--arn ARN (or --gcp-name, --vault-id)";
  const lines = missing.map(
    ({ name }) =>
      `secrets.toml: the secret ${name} is required, and nobody has said where it is: svc install secret set ${id} ${name} ${flag}`,
  );
  return faultOf("missing_value", "Nobody has said where a secret is", lines.join("\n"));
}

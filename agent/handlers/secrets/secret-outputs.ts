import type { FoundSecret } from "./read-secrets.ts";
import { placeWords, type SecretPlace } from "./secret-place.ts";
import type { SecretTarget } from "./wanted-secret.ts";

/** What is told of each secret, by its name: where it is and how long its value is, never the value. */
export function secretOutputs(
  found: readonly Pick<FoundSecret, "wanted" | "value">[],
  atMs: number,
): Record<string, unknown> {
  const timestamp = new Date(atMs).toISOString();
  const byName = Map.groupBy(found, ({ wanted }) => wanted.name);
  return Object.fromEntries(
    [...byName].map(([name, ones]) => {
      const [first] = ones;
      const targets = ones.flatMap(({ wanted }) => wanted.targets);
      const length = first?.value?.length ?? 0;
      const exists = first?.value !== undefined;
      const where = placeMembers(first?.wanted.place);
      return [name, { name, ...where, ...targetMembers(targets), length, exists, timestamp }];
    }),
  );
}

function placeMembers(place: SecretPlace | undefined): Readonly<Record<string, string>> {
  const here = (cloud: SecretPlace["cloud"]): string =>
    place?.cloud === cloud ? placeWords(place) : "";
  return {
    arn: here("aws"),
    gcp_secret_name: here("gcp"),
    azure_key_vault_secret_id: here("azure"),
  };
}

function targetMembers(targets: readonly SecretTarget[]): Readonly<Record<string, unknown>> {
  const [first] = targets;
  return {
    kubernetes_namespace: first?.namespace ?? "",
    kubernetes_name: first?.name ?? "",
    kubernetes_key: first?.key ?? "",
    targets,
  };
}

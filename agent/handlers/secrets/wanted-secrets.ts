import type { SyncSecretsPlan } from "../../../shared/plans/sync-secrets-plan.ts";
import { invalidPlan } from "../../jobs/job-failure.ts";
import { type WantedSecret, wantedSecret } from "./wanted-secret.ts";

const mostSecrets = 100;

/** Reads what a plan wants copied. Throws JobFailure that names what is wrong. */
export function wantedSecrets({ kubernetes_secrets, gcp_auth }: SyncSecretsPlan): WantedSecret[] {
  const members = kubernetes_secrets ?? [];
  if (members.length > mostSecrets)
    throw invalidPlan(
      `kubernetes_secrets has ${members.length} elements: ${mostSecrets} are the most`,
    );
  const secrets = members.map((member, nth) =>
    wantedSecret(member, `kubernetes_secrets[${nth}]`, gcp_auth?.project_id),
  );
  assertApart(secrets);
  return secrets;
}

/** Two elements write no key of their own twice, and of one name they are one secret. */
function assertApart(secrets: readonly WantedSecret[]): void {
  const writers = new Map<string, number>();
  const places = new Map<string, string>();
  for (const [nth, { name, place, targets }] of secrets.entries()) {
    const where = JSON.stringify(place ?? "");
    if ((places.get(name) ?? where) !== where)
      throw invalidPlan(
        `kubernetes_secrets[${nth}] is of the same secret_name as another, elsewhere`,
      );
    places.set(name, where);
    for (const target of targets) {
      const key = `${target.namespace}/${target.name}/${target.key}`;
      const other = writers.get(key);
      if (other !== undefined)
        throw invalidPlan(
          `kubernetes_secrets[${other}] and kubernetes_secrets[${nth}] write the same key ${key}`,
        );
      writers.set(key, nth);
    }
  }
}

import { syncSecretsPlan } from "../../../shared/plans/sync-secrets-plan.ts";
import type { JobInfo, Plan } from "../../jobs/handler.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import { secretOutputs } from "../secrets/secret-outputs.ts";
import type { WantedSecret } from "../secrets/wanted-secret.ts";
import { wantedSecrets } from "../secrets/wanted-secrets.ts";

/**
 * The outputs of a simulated job in the shape of real ones, where that is known of the plan alone: a sync of secrets finds
 * each that has a place, with an empty value.
 */
export function simulatedOutputs({ type }: JobInfo, plan: Plan): Record<string, unknown> {
  if (type !== "sandbox-sync-secrets") return {};
  const found = secretsOf(plan).map((wanted) => ({
    wanted,
    value: wanted.place === undefined ? undefined : Buffer.alloc(0),
  }));
  return secretOutputs(found, Date.now());
}

/** A plan that is invalid may still be simulated. */
function secretsOf(plan: Plan): WantedSecret[] {
  const { data } = syncSecretsPlan.safeParse(plan);
  try {
    return data === undefined ? [] : wantedSecrets(data);
  } catch (error) {
    if (error instanceof JobFailure) return [];
    throw error;
  }
}

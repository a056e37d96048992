import { firstFault } from "../../../shared/issue-words.ts";
import { syncSecretsPlan } from "../../../shared/plans/sync-secrets-plan.ts";
import type { Credentials } from "../../credentials/read-credentials.ts";
import type { JobInfo, Plan } from "../../jobs/handler.ts";
import { invalidPlan } from "../../jobs/job-failure.ts";
import { clusterCredentials } from "./cluster-credentials.ts";
import { type StoreIdentities, storeIdentities } from "./store-identities.ts";
import type { WantedSecret } from "./wanted-secret.ts";
import { wantedSecrets } from "./wanted-secrets.ts";

/** A validated sync of secrets. */
export type SecretsRun = {
  readonly secrets: readonly WantedSecret[];
  /** Who reads the stores. */
  readonly identities: StoreIdentities;
  /** The cluster, and who writes there; undefined where nothing is written to one. */
  readonly credentials: Credentials | undefined;
  /** Everything is looked at, nothing is made or written. */
  readonly isDry: boolean;
  /** Take over keys that others manage. */
  readonly isForced: boolean;
  readonly timeoutMs: number | undefined;
};

const operations: Readonly<Record<string, { readonly isDry: boolean }>> = {
  exec: { isDry: false },
  "create-apply-plan": { isDry: true },
};

/** Reads the plan of a sync of secrets. Throws a JobFailure that names the invalid member. */
export function readSecretsRun(plan: Plan, { operation }: JobInfo): SecretsRun {
  const { data, error } = syncSecretsPlan.safeParse(plan);
  if (data === undefined) throw invalidPlan(firstFault(error));
  const does = operations[operation];
  if (does === undefined) {
    const all = Object.keys(operations).join(", ");
    throw invalidPlan(`a sync of secrets has no operation ${operation}: use one of ${all}`);
  }
  const secrets = wantedSecrets(data);
  const { timeout } = data;
  const isWritten = secrets.length === 0 || secrets.some(({ targets }) => targets.length > 0);
  return {
    ...does,
    secrets,
    identities: storeIdentities(data, secrets),
    credentials: isWritten ? clusterCredentials(data) : undefined,
    isForced: data.force_conflicts === true,
    timeoutMs: timeout == null || timeout <= 0 ? undefined : timeout / 1e6,
  };
}

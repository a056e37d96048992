import { hash } from "node:crypto";
import { jobTokenPermissions } from "../../shared/permissions.ts";
import { jobTokenParts } from "../../shared/token.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { ExecutionCredential } from "../tokens/token-cache.ts";

type CredentialRow = {
  place: number;
  id: string;
  org_id: OrgId;
  runner_id: string;
  expires_in_ms: number;
};

const permissions = new Set(jobTokenPermissions);

/** What each job's token stands for: one execution, while it runs and for 10 minutes after its end. */
export async function findExecutionCredentials(
  db: Db,
  tokens: readonly string[],
): Promise<(ExecutionCredential | undefined)[]> {
  const parts = tokens.map(jobTokenParts);
  const rows = await db<CredentialRow[]>`
    select sent.place::int, e.id, e.org_id, e.runner_id,
           (extract(epoch from coalesce(e.finished_at + interval '10 min' - svc_now(), interval '1 h')) * 1000)::float8
             as expires_in_ms
      from unnest(${parts.map(({ jobId }) => jobId)}::text[],
                  ${parts.map(({ secret }) => hash("sha256", secret, "hex"))}::text[])
           with ordinality sent (job_id, digest, place)
     cross join lateral (select * from runner_job_executions e
                          where e.runner_job_id = sent.job_id and e.token_digest = decode(sent.digest, 'hex')
                          limit 1) e`;
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  return tokens.map((_, at) => {
    const row = byPlace.get(at + 1);
    if (row === undefined || row.expires_in_ms <= 0) return undefined;
    return { actor: toActor(row), expiresInMs: row.expires_in_ms };
  });
}

function toActor({
  id,
  org_id: orgId,
  runner_id: runnerId,
}: CredentialRow): ExecutionCredential["actor"] {
  return {
    id,
    kind: "job",
    orgId,
    tokenId: null,
    accountId: null,
    roleType: null,
    runnerId,
    executionId: id,
    bound: null,
    permissions,
  };
}

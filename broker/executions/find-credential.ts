import { hash } from "node:crypto";
import { jobTokenPermissions } from "../../shared/permissions.ts";
import { jobTokenParts } from "../../shared/token.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { ExecutionCredential } from "../tokens/known-tokens.ts";

type CredentialRow = { id: string; org_id: OrgId; runner_id: string; expires_in_ms: number };

const permissions = new Set(jobTokenPermissions);

/** Whom a job's token speaks for: one execution, while it lives and for 10 minutes after its end. */
export async function findExecutionCredential(
  db: Db,
  token: string,
): Promise<ExecutionCredential | undefined> {
  const { jobId, secret } = jobTokenParts(token);
  const [row] = await db<CredentialRow[]>`
    select id, org_id, runner_id,
           (extract(epoch from coalesce(finished_at + interval '10 min' - svc_now(), interval '1 h')) * 1000)::float8
             as expires_in_ms
      from runner_job_executions
     where runner_job_id = ${jobId} and token_digest = ${hash("sha256", secret, "buffer")}`;
  if (row === undefined || row.expires_in_ms <= 0) return undefined;
  return { actor: toActor(row), expiresInMs: row.expires_in_ms };
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
    permissions,
  };
}

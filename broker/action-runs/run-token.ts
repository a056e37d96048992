import { hash } from "node:crypto";
import { runTokenPermissions } from "../../shared/permissions.ts";
import { jobToken, jobTokenParts, mintJobSecret } from "../../shared/token.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { ExecutionCredential } from "../tokens/token-cache.ts";

/** A token for the run whose job this is, and what its row keeps of it. */
export function mintRunToken(jobId: string): { readonly token: string; readonly digest: string } {
  const secret = mintJobSecret();
  return { token: jobToken(jobId, secret, "run"), digest: `\\x${hash("sha256", secret, "hex")}` };
}

/** An end of a job is not heard of here: for so long its token may be trusted after it. */
const trustedMs = 5_000;

type Row = {
  readonly place: number;
  readonly id: string;
  readonly org_id: OrgId;
  readonly install_id: string;
};

const permissions = new Set(runTokenPermissions);

/** What each token of a run stands for: reading its install, while its job is live. The end of the job, also by its clocks, is its end. */
export async function findRunCredentials(
  db: Db,
  tokens: readonly string[],
): Promise<(ExecutionCredential | undefined)[]> {
  const parts = tokens.map(jobTokenParts);
  const rows = await db<Row[]>`
    select sent.place::int, r.id, r.org_id, r.install_id
      from unnest(${parts.map(({ jobId }) => jobId)}::text[],
                  ${parts.map(({ secret }) => hash("sha256", secret, "hex"))}::text[])
           with ordinality sent (job_id, digest, place)
     cross join lateral (select r.* from install_action_runs r join runner_job_live l on l.id = r.runner_job_id
                          where r.runner_job_id = sent.job_id and r.token_digest = decode(sent.digest, 'hex')
                          limit 1) r`;
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  return tokens.map((_, at) => {
    const row = byPlace.get(at + 1);
    return row && { actor: toActor(row), expiresInMs: trustedMs };
  });
}

function toActor({ id, org_id: orgId, install_id }: Row): ExecutionCredential["actor"] {
  return {
    id,
    kind: "run",
    orgId,
    tokenId: null,
    accountId: null,
    roleType: null,
    runnerId: null,
    executionId: null,
    bound: { type: "installs", id: install_id },
    permissions,
  };
}

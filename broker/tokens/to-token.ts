import type { Token } from "../../shared/api/tokens.ts";
import type { TokenRow, TokenWithSecret } from "./row.ts";

/** A token as the API shows it; never its digest. */
export function toToken(row: TokenRow): Token {
  return {
    id: row.id,
    org_id: row.org_id,
    kind: row.kind,
    reach: row.reach,
    token_type: row.token_type,
    name: row.name,
    hint: row.hint,
    account_id: row.account_id,
    runner_id: row.runner_id,
    role: row.role_type,
    role_id: row.role_id,
    grants: row.grants,
    bound_type: row.bound_type,
    bound_id: row.bound_id,
    issuer: row.issuer,
    source_id: row.source_id,
    source_type: row.source_type,
    issued_at: row.issued_at.toISOString(),
    expires_at: iso(row.expires_at),
    used_at: iso(row.used_at),
    last_used_at: iso(row.last_used_at),
    revoked_at: iso(row.revoked_at),
    replaced_by: row.replaced_by,
    created_at: row.created_at.toISOString(),
    created_by_id: row.created_by_id,
    updated_at: row.updated_at.toISOString(),
  };
}

/** The token with its secret, which is shown only once. */
export function toTokenWithSecret({ row, secret }: TokenWithSecret): Token & { secret: string } {
  return { ...toToken(row), secret };
}

function iso(at: Date | null): string | null {
  return at === null ? null : at.toISOString();
}

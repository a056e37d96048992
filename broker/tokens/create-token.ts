import type { GrantablePermission, RoleType } from "../../shared/permissions.ts";
import { type ProblemError, problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Bound } from "./bound/bound.ts";
import { insertToken } from "./queries.ts";
import type { TokenReach, TokenRow, TokenWithSecret } from "./row.ts";
import { mint } from "./token-secret.ts";

export type NewToken = {
  readonly name: string;
  readonly kind: Exclude<TokenRow["kind"], "boot">;
  /** None for a pat: all roles of its account. A runner's token has the role runner. */
  readonly role?: RoleType | undefined;
  /** A role of the org, of that type. */
  readonly roleId?: string | undefined;
  readonly grants?: readonly GrantablePermission[];
  readonly accountId?: string | undefined;
  readonly runnerId?: string | undefined;
  readonly bound?: Bound | undefined;
  readonly tokenType?: TokenRow["token_type"] | undefined;
  readonly issuer?: string;
  readonly sourceId?: string;
  readonly sourceType?: string;
  readonly expiresAt?: string | undefined;
  readonly createdById: string;
  /** `account` for a pat that speaks for its account: what may have it, token-rules.ts says. */
  readonly reach?: TokenReach;
};

/** Makes a token; its secret is in the answer and nowhere else. 422 where the parts do not fit together. */
export async function createToken(db: Db, org: OrgId, token: NewToken): Promise<TokenWithSecret> {
  const errors = faultsOf(token);
  if (errors.length > 0) throw problem.invalid(errors);
  const minted = mint(token.kind);
  const row = await insertToken(db, org, minted, {
    kind: token.kind,
    reach: token.reach ?? "org",
    token_type: token.tokenType ?? (token.kind === "pat" ? "static" : "svc"),
    name: token.name,
    account_id: token.accountId ?? null,
    runner_id: token.runnerId ?? null,
    role_type: token.kind === "rt" ? "runner" : (token.role ?? null),
    role_id: token.roleId ?? null,
    grants: [...(token.grants ?? [])],
    bound_type: token.bound?.type ?? null,
    bound_id: token.bound?.id ?? null,
    issuer: token.issuer ?? "",
    source_id: token.sourceId ?? "",
    source_type: token.sourceType ?? "",
    expires_at: token.expiresAt ?? null,
    created_by_id: token.createdById,
  });
  if (row === undefined) throw problem.invalid([unknownOwner(token)]);
  return { row, secret: minted.secret };
}

function faultsOf(token: NewToken): ProblemError[] {
  const { kind, role, accountId, runnerId, expiresAt } = token;
  const needs = (member: string, isGiven: boolean, isNeeded: boolean): ProblemError[] => {
    if (isGiven === isNeeded) return [];
    const detail = isNeeded
      ? `Tokens of kind ${kind} require this field.`
      : `Tokens of kind ${kind} do not have this field.`;
    return [{ pointer: `#/${member}`, code: isNeeded ? "required" : "not_allowed", detail }];
  };
  const isForRunner = kind === "rt";
  const errors = needs("runner_id", runnerId !== undefined, isForRunner);
  if (kind === "pat" || isForRunner)
    errors.push(...needs("account_id", accountId !== undefined, !isForRunner));
  if (kind !== "pat" && !isForRunner) errors.push(...needs("role", role !== undefined, true));
  if (role === undefined && (token.grants ?? []).length > 0) {
    const detail =
      "Name a role that the grants add to. Without a role the token already has all permissions of its owner.";
    errors.push({ pointer: "#/grants", code: "not_allowed", detail });
  }
  if ((role === "runner") !== isForRunner && role !== undefined) {
    const detail = "The role runner requires kind rt, which is bound to one runner.";
    errors.push({ pointer: "#/role", code: "not_allowed", detail });
  }
  if (isForRunner && token.bound !== undefined) {
    const detail = "Tokens of kind rt are bound to their runner.";
    errors.push({ pointer: "#/bound_id", code: "not_allowed", detail });
  }
  if (token.sourceType === "token") {
    const detail = "Only a token that takes another's place by a rotation has this source_type.";
    errors.push({ pointer: "#/source_type", code: "not_allowed", detail });
  }
  if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now()) {
    errors.push({
      pointer: "#/expires_at",
      code: "in_the_past",
      detail: "This time has already passed.",
    });
  }
  return errors;
}

function unknownOwner({ runnerId, bound }: NewToken): ProblemError {
  if (bound !== undefined) {
    const what = bound.type === "apps" ? "app" : "install";
    return {
      pointer: "#/bound_id",
      code: `${what}_not_found`,
      detail: `This ${what} does not exist in this org, or the account that is named does not.`,
    };
  }
  return runnerId === undefined
    ? {
        pointer: "#/account_id",
        code: "account_not_found",
        detail: "This account does not exist in this org.",
      }
    : {
        pointer: "#/runner_id",
        code: "runner_not_found",
        detail: "This runner does not exist in this org, or it was deleted.",
      };
}

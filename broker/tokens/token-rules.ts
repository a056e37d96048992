import { machinePermissions, type Permission, type RoleType } from "../../shared/permissions.ts";
import { problem } from "../../shared/problem.ts";
import { permissionsIn } from "../roles/permissions-in.ts";
import type { Actor } from "./actor.ts";
import type { TokenReach, TokenRow } from "./row.ts";

type Maker = Pick<Actor, "accountId" | "permissions" | "roleType">;
type Changer = Maker & Pick<Actor, "tokenId">;
type MintedKind = Exclude<TokenRow["kind"], "boot">;

/** Whose account a new token names, as the caller sees it; only a person's own token has an account to call its own. */
export type Whose = "nobodys" | "own" | "anothers";
type MintRule = { readonly needs: Permission; readonly reach: TokenReach };

const ofOrg: MintRule = { needs: "tokens.write", reach: "org" };

/**
 * What a caller needs to make a token, and the token's reach. Only a token that a person makes for their own account acts
 * for its account, in all its orgs. Any other is confined to the org it was made in and speaks for itself; an account
 * that it names only bounds what it may do. (Kinds that cannot name an account, or must, say so before: `createToken`.)
 */
export const mintRules: Readonly<Record<MintedKind, Readonly<Record<Whose, MintRule>>>> = {
  pat: {
    nobodys: ofOrg,
    own: { needs: "tokens.write", reach: "account" },
    anothers: { needs: "orgs.create", reach: "org" },
  },
  sa: { nobodys: ofOrg, own: ofOrg, anothers: ofOrg },
  rt: { nobodys: ofOrg, own: ofOrg, anothers: ofOrg },
  st: { nobodys: ofOrg, own: ofOrg, anothers: ofOrg },
  it: { nobodys: ofOrg, own: ofOrg, anothers: ofOrg },
};

/** Which tokens are above those of the org: a person's own, which reaches that person's other orgs, and type admin. */
export type Standing = "anothers" | "admin" | "orgs";

/** What a caller needs to rotate or revoke a token of its org; a rotation tells it the new secret. */
export const changeRules: Readonly<
  Record<Standing, Readonly<Record<"rotate" | "revoke", Permission | "nobody">>>
> = {
  anothers: { rotate: "nobody", revoke: "orgs.create" },
  admin: { rotate: "orgs.create", revoke: "orgs.create" },
  orgs: { rotate: "tokens.write", revoke: "tokens.write" },
};

/** The reach of a token that this caller makes; 403 when it may not make it. */
export function reachOfNew(
  maker: Maker,
  token: {
    readonly kind: MintedKind;
    readonly accountId: string | undefined;
    readonly role: RoleType | undefined;
    readonly grants: readonly Permission[];
    readonly isAdmin: boolean;
    readonly isBound: boolean;
    /** What is left of its role, where that is narrowed. */
    readonly left?: readonly Permission[] | null | undefined;
  },
): TokenReach {
  const { needs, reach: widest } = mintRules[token.kind][whoseOf(maker, token.accountId)];
  const reach = token.isBound ? "org" : widest; // an app or an install is in one org
  if (!maker.permissions.has(needs) || (token.isAdmin && !maker.permissions.has("orgs.create"))) {
    const detail =
      "Only a token of type admin may create another admin token or a token for another account.";
    throw problem.forbidden("admin_only", detail);
  }
  const { role = null, grants, isBound, left = null } = token;
  requireNoWider(maker, { role, grants, reach, isBound, left });
  return reach;
}

/** Refuses with 403 a caller who may not rotate or revoke this token of its org. */
export function requireChange(
  maker: Changer,
  change: "rotate" | "revoke",
  token: Pick<TokenRow, "account_id" | "id" | "reach" | "role_type" | "token_type">,
  /** What it permits, or could: of one without a role what its account may. */
  held: readonly Permission[],
): void {
  const standing = standingOf(maker, token);
  const needs = changeRules[standing][change];
  if (needs === "nobody" || !maker.permissions.has(needs)) {
    throw problem.forbidden(
      "admin_only",
      standing === "anothers"
        ? "This token is a person's own and reaches that person's other orgs: only its account may " +
            `${change} it. To keep it out of this org, take the account's roles here: DELETE /v1/accounts/{account_id}.`
        : `Only a token of type admin may ${change} one of type admin.`,
    );
  }
  if (token.id === maker.tokenId) return;
  const { role_type: role, reach } = token;
  const isOwn = token.account_id !== null && token.account_id === maker.accountId;
  if (change === "revoke" && !isOwn) requireOwnToTake(maker, held);
  if (change === "rotate" && role === null && reach === "account")
    requireNoWider(maker, { role, grants: [], reach, isBound: false, left: null });
  else if (change === "rotate") requireOwnPermissions(maker, held);
}

function whoseOf(maker: Maker, accountId: string | undefined): Whose {
  if (accountId === undefined) return "nobodys";
  return accountId === maker.accountId ? "own" : "anothers";
}

function standingOf(
  maker: Maker,
  token: Pick<TokenRow, "account_id" | "reach" | "token_type">,
): Standing {
  if (token.reach === "account" && token.account_id !== maker.accountId) return "anothers";
  return token.token_type === "admin" ? "admin" : "orgs";
}

type Width = {
  readonly role: RoleType | null;
  readonly grants: readonly Permission[];
  readonly reach: TokenReach;
  readonly isBound: boolean;
  readonly left: readonly Permission[] | null;
};

/** A token without a role has all that its account may, here or in the one app or install: more than one that is narrowed to a role. */
function requireNoWider(maker: Maker, { role, grants, reach, isBound, left }: Width): void {
  if (role !== null)
    requireOwnPermissions(maker, permissionsIn({ type: role, grants, left }, isBound));
  else if (maker.roleType !== null && (reach === "account" || isBound))
    throw tooWide("all permissions of its account");
}

/** A caller cannot grant permissions that it lacks, except those that only machines have: 403. */
export function requireOwnPermissions(
  { permissions }: Pick<Actor, "permissions">,
  given: readonly Permission[],
): void {
  const missing = lackedBy({ permissions }, given);
  if (missing !== undefined) throw tooWide(missing);
}

/** The first of these permissions that somebody lacks, but for those that only machines have. */
export const lackedBy = (
  { permissions }: Pick<Actor, "permissions">,
  given: readonly Permission[],
): Permission | undefined => given.find((one) => !permissions.has(one) && !isMachines(one));

/** Refuses with 403 to take from others what the caller lacks. */
export function requireOwnToTake(
  by: Pick<Actor, "permissions">,
  taken: readonly Permission[],
): void {
  const missing = lackedBy(by, taken);
  if (missing !== undefined) throw aboveOwn(missing);
}

const isMachines = (permission: Permission): boolean =>
  machinePermissions.some((one) => one === permission);

/** The refusal to take what the caller lacks. */
export const aboveOwn = (what: string): Error =>
  problem.forbidden(
    "wider_than_own",
    `This would take permissions that you lack: ${what}. Only who has them all may take them.`,
  );

const tooWide = (what: string): Error =>
  problem.forbidden(
    "wider_than_own",
    `The new token would have more permissions than yours: ${what}. Choose a role that has no more than yours.`,
  );

import type { Permission, RoleType } from "../../shared/permissions.ts";
import type { TokenKind } from "../../shared/token.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Bound } from "./bound/bound.ts";

/** The caller of a request, from its token. */
export type Actor = {
  /** Written as `created_by_id`: a person's account, else the token, else the execution. */
  readonly id: string;
  readonly kind: TokenKind;
  readonly orgId: OrgId;
  readonly tokenId: string | null;
  /** The account that the token acts for: only a person's own token does (`reach` account). */
  readonly accountId: string | null;
  readonly roleType: RoleType | null;
  /** The one runner that a runner's or a job's token is bound to. */
  readonly runnerId: string | null;
  /** The one execution that a job's token is bound to. */
  readonly executionId: string | null;
  /** The one app or install that the token is bound to. */
  readonly bound: Bound | null;
  readonly permissions: ReadonlySet<Permission>;
  /** Of a request with an idempotency key: the same each time it is made, so that what it makes has the same ids (keyed-id.ts). */
  readonly requestSeed?: string;
};

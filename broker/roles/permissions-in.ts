import { type Permission, permissionsOfRole, type RoleType } from "../../shared/permissions.ts";

/** What decides what a role permits. */
export type RoleFacts = {
  readonly type: RoleType;
  /** Beyond those of its type. */
  readonly grants: readonly Permission[];
  /** Of all these only what is here is left; null: all. */
  readonly left: readonly Permission[] | null;
};

/** What a role permits, with a token that is bound or not. */
export function permissionsIn(
  { type, grants, left }: RoleFacts,
  isBound: boolean,
): readonly Permission[] {
  const all = [...permissionsOfRole(type, isBound), ...grants];
  return left === null ? all : all.filter((one) => left.includes(one));
}

import type { View } from "./page.ts";

/**
 * Under which a part is made for many: all that what the API answers can depend on, but who it is. Whoever differs in any of it gets
 * a part of their own.
 */
export function partKey({ actor, address }: View): string {
  const { orgId, kind, roleType, runnerId, executionId, bound, permissions } = actor;
  return JSON.stringify([
    orgId,
    address,
    kind,
    roleType,
    runnerId,
    executionId,
    bound,
    [...permissions].toSorted(),
  ]);
}

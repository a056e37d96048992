import { requirePermission } from "../http/gate/authorize.ts";
import type { Action, View } from "./page.ts";

/** Refuses with 403 whoever has neither the permission of an action nor one in place of it. */
export function requireOneOf(view: View, { permission, or = [] }: Action): void {
  if (!or.some((one) => view.can(one))) requirePermission(view.actor, permission);
}

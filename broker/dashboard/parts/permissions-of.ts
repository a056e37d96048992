import type { Permission } from "../../../shared/permissions.ts";
import type { View } from "../page.ts";

/** What the API asks of who does something with a runner or a group: where an install has it, to operate installs as well. */
export function permissionsOf(
  { install_id: install }: { readonly install_id: string | null },
  permission: Permission,
): readonly Permission[] {
  return install === null ? [permission] : [permission, "installs.operate"];
}

/** Whether the person has every one of these permissions. */
export const mayAll = (view: Pick<View, "can">, permissions: readonly Permission[]): boolean =>
  permissions.every((one) => view.can(one));

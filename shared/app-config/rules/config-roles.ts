import { type Found, tableAt, tablesAt, textIn } from "./rule.ts";

/** All roles of a config in the customer's account. */
export function rolesOf(tree: unknown): Found[] {
  const single = ["provision_role", "deprovision_role", "maintenance_role"].flatMap(
    (member) => tableAt(tree, "permissions", member) ?? [],
  );
  return [
    ...single,
    ...tablesAt(tree, "permissions", "custom_roles"),
    ...tablesAt(tree, "break_glass", "role"),
  ];
}

/** Their names. */
export const roleNames = (tree: unknown): string[] =>
  rolesOf(tree).flatMap((role) => textIn(role, "name") ?? []);

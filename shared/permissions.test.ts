import { expect, test } from "vitest";
import { type Permission, rolePermissions, type RoleType, roleTypes } from "./permissions.ts";

const rolesWith = (permission: Permission): RoleType[] =>
  roleTypes.filter((role) => rolePermissions[role].includes(permission));

test("queues and signals are each allowed to the roles that need them", () => {
  const installers: RoleType[] = ["installer", "hosted-installer"];
  const readers: RoleType[] = ["org_admin", "org_support", "org_read_only", "org_builder"];
  expect(new Set(rolesWith("queues.read"))).toEqual(new Set([...readers, ...installers]));
  expect(new Set(rolesWith("queues.write"))).toEqual(new Set(["org_admin", ...installers]));
  expect(new Set(rolesWith("queues.operate"))).toEqual(
    new Set(["org_admin", "org_support", ...installers]),
  );
  expect(new Set(rolesWith("signals.write"))).toEqual(
    new Set(["org_admin", "org_support", "org_builder", ...installers]),
  );
  expect(new Set(rolesWith("signals.work"))).toEqual(
    new Set(["org_admin", "org_builder", ...installers]),
  );
  expect(rolesWith("signals.data")).toEqual(["org_admin"]);
});

test("apps are read by all who read the org, and written by admins and builders", () => {
  const readers: RoleType[] = ["org_admin", "org_support", "org_read_only", "org_builder"];
  expect(new Set(rolesWith("apps.read"))).toEqual(new Set(readers));
  expect(new Set(rolesWith("apps.write"))).toEqual(new Set(["org_admin", "org_builder"]));
});

test("the audit log is read by admins and support", () => {
  expect(new Set(rolesWith("audit.read"))).toEqual(new Set(["org_admin", "org_support"]));
});

import {
  boundPermissions,
  type GrantablePermission,
  type Permission,
  rolePermissions,
  type RoleType,
} from "../../shared/permissions.ts";
import type { RoleRow } from "./row.ts";

type RoleFacts = Pick<
  RoleRow,
  "applies_to" | "assignable" | "description" | "grants" | "id" | "managed" | "role_type" | "title"
>;
export type StandardRole = RoleFacts & {
  readonly policies: readonly { readonly name: string; readonly permissions: Permission[] }[];
};

const both: RoleRow["applies_to"] = ["account", "token"];

const managed: readonly (readonly [RoleType, string, string, RoleRow["applies_to"]])[] = [
  ["org_admin", "Admin", "Everything in the org, its accounts and tokens included.", both],
  ["org_support", "Support", "Reads everything, and cancels, reruns, pauses and restarts.", both],
  ["org_read_only", "Read only", "Reads everything but tokens.", both],
  ["org_builder", "Builder", "Writes apps; enqueues, cancels and reads jobs.", both],
  [
    "installer",
    "Installer",
    "Sets up runners and enqueues jobs for them; with a token that is bound, works on installs.",
    ["token"],
  ],
  ["runner", "Runner", "Speaks the runner protocol for its own runner.", ["token"]],
  ["hosted-installer", "Hosted installer", "What an installer does, on our side.", ["token"]],
  ["stack", "Stack", "A cloud stack: reads its runner and mints its enrolment token.", ["token"]],
  ["telemetry_collector", "Telemetry collector", "Writes logs, traces and metrics.", ["token"]],
];

const readers: readonly (readonly [string, string, readonly GrantablePermission[]])[] = [
  ["Plan reader", "Reads everything but tokens, and plans without their secrets.", ["plans.read"]],
  [
    "Secrets reader",
    "Reads everything but tokens, and plans with their secrets.",
    ["plans.read", "plans.secrets"],
  ],
];

/** The service's own roles, which belong to no org: the managed ones, and two that read plans. */
export const standardRoles: readonly StandardRole[] = [
  ...managed.map(([type, title, description, kinds], at) =>
    roleOf(at, { type, title, description, applies_to: kinds, grants: [], managed: true }),
  ),
  ...readers.map(([title, description, grants], at) =>
    roleOf(managed.length + at, {
      type: "org_read_only",
      title,
      description,
      applies_to: ["account"],
      grants: [...grants],
      managed: false,
    }),
  ),
];

type Given = Pick<RoleFacts, "applies_to" | "description" | "grants" | "managed" | "title"> & {
  readonly type: RoleType;
};

function roleOf(at: number, { type, ...role }: Given): StandardRole {
  const bound = boundPermissions[type] ?? [];
  return {
    ...role,
    id: `rol_${String(at + 1).padStart(26, "0")}`,
    role_type: type,
    assignable: role.applies_to.includes("account"),
    policies: [
      { name: type, permissions: [...rolePermissions[type]] },
      ...(bound.length > 0 ? [{ name: "bound", permissions: [...bound] }] : []),
      ...(role.grants.length > 0 ? [{ name: "grants", permissions: role.grants }] : []),
    ],
  };
}

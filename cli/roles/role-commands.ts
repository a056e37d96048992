import {
  createRoleRoute,
  deleteRoleRoute,
  listRolesRoute,
  type Role,
  updateRoleRoute,
} from "../../shared/api/roles.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { permissions, roleTypes } from "../../shared/permissions.ts";
import { type Command, defineCommand } from "../command.ts";
import { defineList } from "../lists/define-list.ts";
import { printItem, type View } from "../output/print.ts";

const nameOf = (role: Role): string => role.id;

const roleLine: View<Role> = {
  nameOf,
  columns: {
    ROLE: ({ role_type: type }) => type,
    TITLE: ({ title }) => title,
    FOR: ({ applies_to: kinds }) => kinds.join(", "),
    PERMISSIONS: ({ permissions }) => String(permissions.length),
    DESCRIPTION: ({ description }) => description,
  },
};

const roleDetails: View<Role> = {
  nameOf,
  columns: {
    role: ({ role_type: type }) => type,
    id: nameOf,
    title: ({ title }) => title,
    description: ({ description }) => description,
    for: ({ applies_to: kinds }) => kinds.join(", "),
    assignable: ({ assignable }) => (assignable ? "yes" : "no"),
    permissions: ({ permissions }) => permissions.join("\n"),
    "if bound": ({ bound_permissions: names }) => names.join("\n") || "-",
  },
};

const listRoles = defineList({
  name: "role list",
  summary: "List the roles that accounts and tokens can have.",
  isWhole: true,
  flags: {
    permits: { value: "PERMISSION", summary: "Only roles with this permission." },
    for: { value: "KIND", choices: ["account", "token"], summary: "Only roles that these have." },
  },
  examples: [
    { does: "List the roles that may cancel jobs.", run: "svc role list --permits jobs.cancel" },
  ],
  view: roleLine,
  empty: "No roles found.",
  read: async ({ flags, call }) => {
    const { permits, for: kind } = flags;
    const { text, body } = await call(listRolesRoute, {});
    if (permits === undefined && kind === undefined) return { text, body };
    const items = body.items.filter(
      ({ permissions, applies_to: kinds }) =>
        (permits === undefined || permissions.includes(permits)) &&
        (kind === undefined || kinds.includes(kind)),
    );
    const page = { items, next_cursor: null };
    return { text: JSON.stringify(page), body: page };
  },
});

const getRole = defineCommand({
  name: "role get",
  summary: "Show a role and what it permits.",
  args: { role: { summary: "The role's name, like org_admin, or its id.", offers: "roles" } },
  examples: [{ does: "Show what a role permits.", run: "svc role get org_builder" }],
  run: async ({ args, call, screen }) => {
    const { body } = await call(listRolesRoute, {});
    const role = body.items.find(
      ({ id, role_type: type }) => args.role === id || args.role === type,
    );
    if (role === undefined) {
      const names = body.items.map(({ role_type: type }) => type).join(", ");
      throw new UsageError(`There is no role ${args.role}.`, `There are: ${names}.`);
    }
    printItem(screen, { text: JSON.stringify(role), body: role }, roleDetails);
  },
});

const narrowable = roleTypes.filter((type) => type !== "runner");

const createRole = defineCommand({
  name: "role create",
  summary: "Create a role of the org that permits a part of what a managed role permits.",
  args: { title: { summary: "Its title." } },
  flags: {
    from: {
      value: "ROLE",
      choices: narrowable,
      isRequired: true,
      summary: "The managed role that it narrows.",
    },
    permit: {
      value: "PERMISSION",
      choices: permissions,
      isRepeatable: true,
      isRequired: true,
      summary: "The part of it that remains. You must have it yourself.",
    },
    description: { value: "TEXT", summary: "What it is for." },
  },
  examples: [
    {
      does: "Create a role that only answers approvals.",
      run: "svc role create Approver --from org_support --permit workflows.read --permit approvals.respond",
    },
  ],
  run: async ({ args, flags, call, screen }) => {
    const body = {
      title: args.title,
      role_type: flags.from,
      policies: [{ name: "permits", permissions: [...flags.permit] }],
      ...(flags.description !== undefined && { description: flags.description }),
    };
    printItem(screen, await call(createRoleRoute, { body }), roleDetails);
  },
});

const updateRole = defineCommand({
  name: "role update",
  summary: "Change a role of the org: its name, or what it permits.",
  details: "It counts for whoever has the role within a second.",
  args: { role: { summary: "The role's id." } },
  flags: {
    title: { value: "TITLE", summary: "Its new title." },
    description: { value: "TEXT", summary: "What it is for." },
    permit: {
      value: "PERMISSION",
      choices: permissions,
      isRepeatable: true,
      summary: "All that it permits from now on. You must have it yourself.",
    },
  },
  examples: [
    { does: "Say what it is for.", run: 'svc role update rol_… --description "Answers approvals"' },
  ],
  run: async ({ args, flags: { title, description, permit }, call, screen }) => {
    const body = {
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(permit.length > 0 && { policies: [{ name: "permits", permissions: [...permit] }] }),
    };
    if (Object.keys(body).length === 0)
      throw new UsageError("Nothing to change.", "See: svc role update --help");
    const params = { role_id: args.role };
    printItem(screen, await call(updateRoleRoute, { params, body }), roleDetails);
  },
});

const deleteRole = defineCommand({
  name: "role delete",
  summary: "Delete a role of the org that is not in use.",
  args: { role: { summary: "The role's id." } },
  examples: [{ does: "Delete a role.", run: "svc role delete rol_…" }],
  run: async ({ args, call, screen }) => {
    await call(deleteRoleRoute, { params: { role_id: args.role } });
    screen.say(`Deleted ${args.role}.`);
  },
});

/** The commands of roles, in the order of help. */
export const roleCommands: readonly Command[] = [
  listRoles,
  getRole,
  createRole,
  updateRole,
  deleteRole,
];

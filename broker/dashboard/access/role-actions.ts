import { html } from "hono/html";
import {
  createRoleRoute,
  deleteRoleRoute,
  type NewRole,
  type Role,
  updateRoleRoute,
} from "../../../shared/api/roles.ts";
import type { Permission } from "../../../shared/permissions.ts";
import type { Action, Html, View } from "../page.ts";
import { textField, wrongField } from "../parts/fields.ts";
import { notNow } from "../parts/not-now.ts";
import { keyField, keyOf } from "../parts/once.ts";
import { isSame, permissionBoxes, permittedBy, policiesOf } from "./permission-boxes.ts";
import { readRoles } from "./role-words.ts";
import { findRole } from "./show-role.ts";

const list = "/org/roles";
const path = `${list}/{role_id}` as const;
const permission = "accounts.write";
const placeOf = (view: View): string => `${list}/${view.param("role_id")}`;

const words = (role: Pick<Role, "title" | "description">, entered: URLSearchParams): Html =>
  html`${textField({ name: "title", label: "Title", isRequired: true, value: role.title }, entered)}
  ${textField({ name: "description", label: "What it is for", value: role.description }, entered)}`;

/** Of a managed role: another one, of the org, that permits a part of it. */
const narrowRole: Action = {
  path: `${path}/narrow`,
  permission,
  async ask(view, entered) {
    const base = await baseOf(view);
    const chosen: readonly string[] = [];
    return {
      title: `Narrow ${base.title}`,
      text: html`<p>
        The new role permits what you tick of what <code>${base.role_type}</code> does: nothing that
        you may not do yourself. Accounts and tokens of this org can have it.
      </p>`,
      fields: html`${words({ title: "", description: "" }, entered)}
      ${permissionBoxes(view, base, { chosen, entered })} ${keyField()}`,
      button: "Create the role",
      back: placeOf(view),
    };
  },
  async run(view, form) {
    const base = await baseOf(view);
    const policies = tickedOf(form);
    const role_type = base.role_type as NewRole["role_type"]; // baseOf takes no other
    const body = { ...wordsOf(form), role_type, policies };
    const made = await view.ask(createRoleRoute, { body, ...keyOf(form) });
    return { said: `Created the role ${made.title}.`, to: `${list}/${made.id}` };
  },
};

const changeRole: Action = {
  path: `${path}/change`,
  permission,
  async ask(view, entered) {
    const role = await requireOwn(view);
    const chosen = permittedBy(role);
    const lacked = chosen.filter((one) => !view.actor.permissions.has(one as Permission)); // as the API has them
    return {
      title: `Change ${role.title}`,
      text: html`<p>
          What you tick counts for whoever has this role within a second. It is a part of
          <code>${role.role_type}</code>.
        </p>
        ${
          lacked.length === 0
            ? ""
            : html`<p>
                <strong>It permits what you may not do yourself: ${lacked.join(", ")}.</strong>
                Saving takes that away.
              </p>`
        }`,
      fields: html`${words(role, entered)}
      ${permissionBoxes(view, await managedOf(view, role.role_type), { chosen, entered })}`,
      button: "Save the role",
      isDangerous: true,
      back: placeOf(view),
    };
  },
  async run(view, form) {
    const role = await requireOwn(view);
    const policies = tickedOf(form);
    const body = { ...wordsOf(form), ...(!isSame(role, policies) && { policies }) };
    const params = { role_id: role.id };
    const made = await view.ask(updateRoleRoute, { params, body });
    return { said: `Saved the role ${made.title}.`, to: placeOf(view) };
  },
};

const deleteRole: Action = {
  path: `${path}/delete`,
  permission,
  async ask(view) {
    const role = await requireOwn(view);
    return {
      title: `Delete ${role.title}`,
      text: html`<p>
        It is refused while an account, a valid token or an open invitation has it. This cannot be
        undone.
      </p>`,
      button: "Delete the role",
      isDangerous: true,
      back: placeOf(view),
    };
  },
  async run(view) {
    const role = await requireOwn(view);
    await view.ask(deleteRoleRoute, { params: { role_id: role.id } });
    return { said: `Deleted the role ${role.title}.`, to: list };
  },
};

/** The managed role that a new one narrows. */
async function baseOf(view: View): Promise<Role> {
  const role = await findRole(view);
  if (role.managed && role.role_type !== "runner") return role;
  throw notNow("Only a managed role can be narrowed, and not that of runners.");
}

async function managedOf(view: View, type: string): Promise<Role> {
  const role = (await readRoles(view)).find((one) => one.managed && one.role_type === type);
  if (role === undefined) throw notNow(`There is no managed role ${type}.`);
  return role;
}

async function requireOwn(view: View): Promise<Role> {
  const role = await findRole(view);
  if (role.org_id === null) throw notNow("This role is the service's own: nobody changes it.");
  return role;
}

const wordsOf = (form: URLSearchParams) => ({
  title: form.get("title")?.trim() ?? "",
  description: form.get("description")?.trim() ?? "",
});

function tickedOf(form: URLSearchParams): NewRole["policies"] {
  const policies = policiesOf(form);
  if (policies.length === 0) throw wrongField("permissions", "Tick at least one.");
  return policies;
}

/** Everything that can be done with roles of the org. */
export const roleActions: readonly Action[] = [narrowRole, changeRole, deleteRole];

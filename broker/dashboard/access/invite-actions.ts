import { html } from "hono/html";
import {
  createInviteRoute,
  resendInviteRoute,
  revokeInviteRoute,
} from "../../../shared/api/invites.ts";
import type { Action, View } from "../page.ts";
import { boxesField } from "../parts/boxes.ts";
import { choiceField, textField, wrongField } from "../parts/fields.ts";
import { keyField, keyOf } from "../parts/once.ts";
import { findInvite } from "./find-invite.ts";
import { givable, readRoles, roleName, roleRef } from "./role-words.ts";

const back = "/org/invites";
const permission = "accounts.write";
const paramsOf = (view: View) => ({ invite_id: view.param("invite_id") });

const hourNs = 3600e9;
const lives = [
  ["24", "1 day"],
  ["168", "7 days"],
  ["720", "30 days"],
] as const;
const livesField = (entered: URLSearchParams) =>
  choiceField(
    { name: "lives", label: "It can be accepted for", values: lives, value: "168" },
    entered,
  );

function livesOf(form: URLSearchParams): { readonly expires_in: number } {
  const hours = lives.find(([value]) => value === form.get("lives"))?.[0] ?? "168";
  return { expires_in: Number(hours) * hourNs };
}

const createInvite: Action = {
  path: `${back}/new`,
  permission,
  back: () => back,
  async ask(view, entered) {
    const roles = givable(view, await readRoles(view), "account");
    return {
      title: "Invite an account",
      text: html`<p>
        A person of another org gets these roles in this one when they accept. No mail is sent: tell
        them. They find the invitation at <b>Your session</b>, or by
        <code>svc invite list --mine</code>.
      </p>`,
      fields: html`${textField(
        {
          name: "account_id",
          label: "Account",
          isRequired: true,
          placeholder: "acc_…",
          hint: "Its owner reads it at Your session, as “Account”.",
        },
        entered,
      )}
      ${boxesField(
        {
          name: "roles",
          legend: "Roles: those that permit no more than you may",
          values: roles.map((role) => [roleRef(role), roleName(role)] as const),
        },
        entered,
      )}
      ${livesField(entered)} ${keyField()}`,
      button: "Invite the account",
      back,
    };
  },
  async run(view, form) {
    const roles = form.getAll("roles");
    if (roles.length === 0) throw wrongField("roles", "Choose at least one.");
    const account = form.get("account_id")?.trim() ?? "";
    if (account === "") throw wrongField("account_id", "Give the account's id.");
    const body = { account_id: account, roles, ...livesOf(form) };
    await view.ask(createInviteRoute, { body, ...keyOf(form) });
    return { said: `Invited ${account}. Tell its owner: no mail is sent.`, to: back };
  },
};

const renewInvite: Action = {
  path: `${back}/{invite_id}/renew`,
  permission,
  back: () => back,
  async ask(view, entered) {
    const { account_id: account } = await findInvite(view, "org");
    return {
      title: "Renew an invitation",
      text: html`<p>That of <span class="id">${account}</span> counts from now on.</p>`,
      fields: livesField(entered),
      button: "Renew the invitation",
      back,
    };
  },
  async run(view, form) {
    const made = await view.ask(resendInviteRoute, { params: paramsOf(view), body: livesOf(form) });
    return { said: `The invitation of ${made.account_id} is renewed.`, to: back };
  },
};

const revokeInvite: Action = {
  path: `${back}/{invite_id}/revoke`,
  permission,
  back: () => back,
  async ask(view) {
    const { account_id: account } = await findInvite(view, "org");
    return {
      title: "Revoke an invitation",
      text: html`<p>
        That of <span class="id">${account}</span> can be accepted no more. The account can be
        invited again.
      </p>`,
      button: "Revoke the invitation",
      isDangerous: true,
      back,
    };
  },
  async run(view) {
    const revoked = await view.ask(revokeInviteRoute, { params: paramsOf(view) });
    return { said: `Revoked the invitation of ${revoked.account_id}.`, to: back };
  },
};

/** Everything that can be done with invitations to the org. */
export const inviteActions: readonly Action[] = [createInvite, renewInvite, revokeInvite];

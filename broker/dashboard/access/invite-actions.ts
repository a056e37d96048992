import { html } from "hono/html";
import {
  createInviteRoute,
  type Invite,
  resendInviteRoute,
  revokeInviteRoute,
} from "../../../shared/api/invites.ts";
import type { Action, Shown, View } from "../page.ts";
import { boxesField } from "../parts/boxes.ts";
import { codeBlock } from "../parts/code-block.ts";
import { choiceField, textField, wrongField } from "../parts/fields.ts";
import { keyField, keyOf } from "../parts/once.ts";
import { findInvite, whomOf } from "./find-invite.ts";
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
      title: "Invite somebody",
      text: html`<p>
        A person of another org gets these roles in this one when they accept. No mail is sent: tell
        them. An account finds the invitation at <b>Your session</b>, or by
        <code>svc invite list --mine</code>; whoever is invited by an address needs the secret that
        you get.
      </p>`,
      fields: html`${textField(
        {
          name: "account_id",
          label: "Account or address",
          isRequired: true,
          placeholder: "acc_…",
          hint: "An account's owner reads it at Your session, as “Account”.",
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
      button: "Invite",
      back,
    };
  },
  async run(view, form) {
    const roles = form.getAll("roles");
    if (roles.length === 0) throw wrongField("roles", "Choose at least one.");
    const whom = form.get("account_id")?.trim() ?? "";
    if (whom === "") throw wrongField("account_id", "Give the account's id, or an address.");
    const to = whom.includes("@") ? { email: whom } : { account_id: whom };
    const body = { ...to, roles, ...livesOf(form) };
    const made = await view.ask(createInviteRoute, { body, ...keyOf(form) });
    return (
      secretShown(made) ?? { said: `Invited ${whom}. Tell its owner: no mail is sent.`, to: back }
    );
  },
};

const renewInvite: Action = {
  path: `${back}/{invite_id}/renew`,
  permission,
  back: () => back,
  async ask(view, entered) {
    const invite = await findInvite(view, "org");
    return {
      title: "Renew an invitation",
      text: html`<p>That of <span class="id">${whomOf(invite)}</span> counts from now on.</p>`,
      fields: livesField(entered),
      button: "Renew the invitation",
      back,
    };
  },
  async run(view, form) {
    const made = await view.ask(resendInviteRoute, { params: paramsOf(view), body: livesOf(form) });
    return secretShown(made) ?? { said: `The invitation of ${whomOf(made)} is renewed.`, to: back };
  },
};

const revokeInvite: Action = {
  path: `${back}/{invite_id}/revoke`,
  permission,
  back: () => back,
  async ask(view) {
    const invite = await findInvite(view, "org");
    return {
      title: "Revoke an invitation",
      text: html`<p>
        That of <span class="id">${whomOf(invite)}</span> can be accepted no more. They can be
        invited again.
      </p>`,
      button: "Revoke the invitation",
      isDangerous: true,
      back,
    };
  },
  async run(view) {
    const revoked = await view.ask(revokeInviteRoute, { params: paramsOf(view) });
    return { said: `Revoked the invitation of ${whomOf(revoked)}.`, to: back };
  },
};

/** The secret of an invitation to an address, which is shown this once; undefined for one to an account. */
function secretShown({
  id,
  email,
  secret,
}: Invite & { readonly secret?: string | undefined }): Shown | undefined {
  if (secret === undefined) return undefined;
  return {
    title: "The invitation",
    main: html`<section class="question">
      <h1>${email}</h1>
      <p>
        <strong>Copy it now: it is shown only once.</strong> Send it to them, and to nobody else.
        Whoever has an account and this secret accepts:
        <code>svc invite accept ${id} --proof FILE</code>.
      </p>
      ${codeBlock("The invitation's secret", secret)}
      <p class="buttons"><a class="button" href="${back}">Done</a></p>
    </section>`,
  };
}

/** Everything that can be done with invitations to the org. */
export const inviteActions: readonly Action[] = [createInvite, renewInvite, revokeInvite];

import { html } from "hono/html";
import { createTokenRoute } from "../../../shared/api/tokens.ts";
import type { RoleType } from "../../../shared/permissions.ts";
import { givable, readRoles, roleName, roleRef } from "../access/role-words.ts";
import type { Action, Shown, View } from "../page.ts";
import { codeBlock } from "../parts/code-block.ts";
import { choiceField, textField, wrongField } from "../parts/fields.ts";
import { keyField, keyOf } from "../parts/once.ts";
import { boundField, boundOf } from "./bound-field.ts";

const kinds = [
  ["sa", "a program"],
  ["it", "an installer"],
  ["st", "a stack"],
] as const;
const dayMs = 86_400_000;
const lives = [
  ["7", "7 days"],
  ["30", "30 days"],
  ["90", "90 days"],
  ["365", "a year"],
  ["", "until it is revoked"],
] as const;

/** Makes a token of the org. Its secret is on the page that answers, and nowhere else. */
export const createToken: Action = {
  path: "/tokens/new",
  permission: "tokens.write",
  back: () => "/tokens",
  async ask(view, entered) {
    const roles = givable(view, await readRoles(view), "token");
    const values = roles
      .filter(({ role_type: type }) => type !== "runner")
      .map((role) => [roleRef(role), roleName(role)] as const);
    return {
      title: "Create a token",
      text: html`<p>
        It acts for itself, in this org, by its role: one that permits no more than you may. Its
        secret is shown once, on the next page.
      </p>`,
      fields: html`${textField({ name: "name", label: "Name", isRequired: true }, entered)}
        ${choiceField({ name: "kind", label: "Who uses it", values: kinds }, entered)}
        ${choiceField(
          {
            name: "role",
            label: "Role",
            isRequired: true,
            values: [["", "Choose one"], ...values],
          },
          entered,
        )}
        ${await boundField(view, entered)}
        ${choiceField({ name: "days", label: "Valid for", value: "90", values: lives }, entered)}
        <input type="hidden" name="from" value="${view.nowMs}" />${keyField()}`,
      button: "Create the token",
      back: "/tokens",
    };
  },
  async run(view, form) {
    const role = form.get("role") ?? "";
    if (role === "") throw wrongField("role", "Choose a role.");
    const made = await view.ask(createTokenRoute, {
      body: {
        name: form.get("name")?.trim() ?? "",
        kind: kinds.find(([kind]) => kind === form.get("kind"))?.[0] ?? "sa",
        ...(role.startsWith("rol_") ? { role_id: role } : { role: role as RoleType }), // the API checks it
        ...boundOf(form),
        ...expiryOf(view, form),
      },
      ...keyOf(form),
    });
    return secretShown(made);
  },
};

/** Counted from when the form was shown: sent twice, it asks for the same token twice, and makes one. */
function expiryOf(view: View, form: URLSearchParams): { readonly expires_at?: string } {
  const days = lives.find(([value]) => value === (form.get("days") ?? "90"))?.[0] ?? "90";
  if (days === "") return {};
  const fromMs = Number(form.get("from") ?? "");
  const isToday = Math.abs(view.nowMs - fromMs) < dayMs;
  const expiresAtMs = (isToday ? fromMs : view.nowMs) + Number(days) * dayMs;
  return { expires_at: new Date(expiresAtMs).toISOString() };
}

function secretShown({ name, secret }: { readonly name: string; readonly secret: string }): Shown {
  return {
    title: "The new token",
    main: html`<section class="question">
      <h1>${name}</h1>
      <p>
        <strong>Copy it now: it is shown only once.</strong> Keep it where other people and logs
        cannot read it.
      </p>
      ${codeBlock("The token's secret", secret)}
      <p class="buttons"><a class="button" href="/tokens">Done</a></p>
    </section>`,
  };
}

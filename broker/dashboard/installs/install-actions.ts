import { html } from "hono/html";
import { createActionRunRoute, listInstallActionsRoute } from "../../../shared/api/actions.ts";
import {
  deprovisionInstallRoute,
  reprovisionInstallRoute,
} from "../../../shared/api/install-workflows.ts";
import { type Install, installs } from "../../../shared/api/install.ts";
import type { Action, View } from "../page.ts";
import { choiceField, requireTyped, typedField, wrongField } from "../parts/fields.ts";
import { notNow } from "../parts/not-now.ts";
import { keyField, keyOf } from "../parts/once.ts";

const path = "/installs/{install_id}";
const paramsOf = (view: View) => ({ install_id: view.param("install_id") });
const find = async (view: View): Promise<Install> =>
  await view.ask(installs.get, { params: paramsOf(view) });
const placeOf = (view: View): string => `/installs/${view.param("install_id")}`;

const runAction: Action = {
  path: `${path}/run`,
  permission: "installs.operate",
  async ask(view, entered) {
    const params = paramsOf(view);
    const [install, actions] = await Promise.all([
      find(view),
      view.ask(listInstallActionsRoute, { params }),
    ]);
    if (actions.length === 0) throw notNow("There is no action: the app's config has none.");
    const values = actions.map(({ name, config }) => {
      const isAsked = config?.["approval"] === true;
      return [name, isAsked ? `${name} (somebody must approve it)` : name] as const;
    });
    const field = {
      name: "action",
      label: "Action",
      isRequired: true,
      value: view.query.get("action") ?? "",
      values: [["", "Choose one"] as const, ...values],
    };
    return {
      title: "Run an action",
      text: html`<p>
        A job of the runner of ${install.name} runs it. An action that wants an approval asks for it
        first.
      </p>`,
      fields: html`${choiceField(field, entered)} ${keyField()}`,
      button: "Run the action",
      back: placeOf(view),
    };
  },
  async run(view, form) {
    const name = form.get("action") ?? "";
    if (name === "") throw wrongField("action", "Choose an action.");
    const made = await view.ask(createActionRunRoute, {
      params: paramsOf(view),
      body: { name },
      ...keyOf(form),
    });
    return {
      said: `${name} runs.`,
      to: `/workflows/${made.workflow_id}`,
      undo: { label: "Cancel it…", action: `/workflows/${made.workflow_id}/cancel` },
    };
  },
};

const reprovision: Action = {
  path: `${path}/reprovision`,
  permission: "installs.operate",
  async ask(view) {
    const install = await find(view);
    return {
      title: `Reprovision ${install.name}`,
      text: html`<p>
        It is provisioned again by its app's active config. If another change is under way, this one
        waits for it.
      </p>`,
      fields: keyField(),
      button: "Reprovision the install",
      back: placeOf(view),
    };
  },
  async run(view, form) {
    const made = await view.ask(reprovisionInstallRoute, {
      params: paramsOf(view),
      body: {},
      ...keyOf(form),
    });
    return {
      said: "It is reprovisioned.",
      to: `/workflows/${made.workflow_id}`,
      undo: { label: "Cancel it…", action: `/workflows/${made.workflow_id}/cancel` },
    };
  },
};

const deprovision: Action = {
  path: `${path}/deprovision`,
  permission: "installs.destroy",
  async ask(view) {
    const install = await find(view);
    return {
      title: `Deprovision ${install.name}`,
      text: html`<p>
        What the app has in the customer's account is taken away by the config that it has. Its
        records stay. This cannot be undone.
      </p>`,
      fields: typedField(install.name),
      button: "Deprovision the install",
      isDangerous: true,
      back: placeOf(view),
    };
  },
  async run(view, form) {
    const install = await find(view);
    requireTyped(form, install.name);
    const made = await view.ask(deprovisionInstallRoute, { params: paramsOf(view), body: {} });
    return { said: "It is deprovisioned.", to: `/workflows/${made.workflow_id}` };
  },
};

/** Everything that can be done with an install. */
export const installActions: readonly Action[] = [runAction, reprovision, deprovision];

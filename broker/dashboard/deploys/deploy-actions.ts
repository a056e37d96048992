import { html } from "hono/html";
import {
  createDeployOfComponentRoute,
  teardownComponentRoute,
} from "../../../shared/api/deploy-components.ts";
import {
  getInstallComponentRoute,
  type InstallComponent,
} from "../../../shared/api/install-components.ts";
import type { Action, View } from "../page.ts";
import { requireTyped, textField, typedField } from "../parts/fields.ts";
import { keyField, keyOf } from "../parts/once.ts";

const path = "/installs/{install_id}/components/{component_id}";
const paramsOf = (view: View) => ({
  install_id: view.param("install_id"),
  component_id: view.param("component_id"),
});
const placeOf = (view: View): string => `/installs/${view.param("install_id")}`;
const find = async (view: View): Promise<InstallComponent> =>
  await view.ask(getInstallComponentRoute, { params: paramsOf(view) });

const deploy: Action = {
  path: `${path}/deploy`,
  permission: "installs.operate",
  async ask(view, entered) {
    const { component_name: name } = await find(view);
    const field = {
      name: "build_id",
      label: "Build",
      hint: "Empty: the newest of the install's config. An older one brings back what it was.",
      value: view.query.get("build_id") ?? "",
    };
    return {
      title: `Deploy ${name}`,
      text: html`<p>
        It is planned first, and applied once that is approved. If another change is under way, this
        one waits for it.
      </p>`,
      fields: html`${textField(field, entered)} ${keyField()}`,
      button: "Deploy it",
      back: placeOf(view),
    };
  },
  async run(view, form) {
    const build_id = form.get("build_id") ?? "";
    const made = await view.ask(createDeployOfComponentRoute, {
      params: paramsOf(view),
      body: build_id === "" ? {} : { build_id },
      ...keyOf(form),
    });
    return {
      said: `${made.component_name} is being deployed.`,
      to: `/workflows/${made.workflow_id}`,
      undo: { label: "Cancel it…", action: `/workflows/${made.workflow_id}/cancel` },
    };
  },
};

const tearDown: Action = {
  path: `${path}/teardown`,
  permission: "installs.operate",
  async ask(view) {
    const { component_name: name } = await find(view);
    return {
      title: `Tear down ${name}`,
      text: html`<p>What is deployed of it in the customer's account is taken away.</p>`,
      fields: html`${typedField(name)} ${keyField()}`,
      button: "Tear it down",
      isDangerous: true,
      back: placeOf(view),
    };
  },
  async run(view, form) {
    const { component_name: name } = await find(view);
    requireTyped(form, name);
    const params = paramsOf(view);
    const made = await view.ask(teardownComponentRoute, { params, body: {}, ...keyOf(form) });
    return { said: `${name} is being torn down.`, to: `/workflows/${made.workflow_id}` };
  },
};

/** What can be done with the components of installs. */
export const deployActions: readonly Action[] = [deploy, tearDown];

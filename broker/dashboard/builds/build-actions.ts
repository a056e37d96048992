import { html } from "hono/html";
import { cancelBuildRoute, createBuildRoute, getBuildRoute } from "../../../shared/api/builds.ts";
import { getComponentRoute } from "../../../shared/api/components.ts";
import type { Action, View } from "../page.ts";
import { textField } from "../parts/fields.ts";

const ofComponent = (view: View) => ({
  app_id: view.param("app_id"),
  component_id: view.param("component_id"),
});

const build: Action = {
  path: "/apps/{app_id}/components/{component_id}/build",
  permission: "builds.write",
  async ask(view, entered) {
    const { name } = await view.ask(getComponentRoute, { params: ofComponent(view) });
    return {
      title: `Build ${name}`,
      text: html`<p>It is built as the active config says, on the org's own runner.</p>`,
      fields: textField(
        {
          name: "git_ref",
          label: "Branch, tag or commit",
          hint: "Empty: the newest commit of the config's branch.",
        },
        entered,
      ),
      button: "Build it",
      back: `/apps/${view.param("app_id")}`,
    };
  },
  async run(view, form) {
    const git_ref = form.get("git_ref") ?? "";
    const body = git_ref === "" ? { use_latest: true } : { git_ref };
    const made = await view.ask(createBuildRoute, { params: ofComponent(view), body });
    return { said: "The build has begun.", to: `/apps/${made.app_id}/builds/${made.id}` };
  },
};

const cancel: Action = {
  path: "/apps/{app_id}/builds/{build_id}/cancel",
  permission: "builds.write",
  async ask(view) {
    const params = { build_id: view.param("build_id") };
    const { component_name: name } = await view.ask(getBuildRoute, { params });
    return {
      title: `Cancel the build of ${name}`,
      text: html`<p>What was asked for together with it goes on.</p>`,
      button: "Cancel the build",
      isDangerous: true,
      back: `/apps/${view.param("app_id")}/builds/${params.build_id}`,
    };
  },
  async run(view) {
    const build_id = view.param("build_id");
    const { app_id, component_id } = await view.ask(getBuildRoute, { params: { build_id } });
    await view.ask(cancelBuildRoute, { params: { app_id, component_id, build_id } });
    return { said: "The build is being cancelled.", to: `/apps/${app_id}/builds/${build_id}` };
  },
};

/** What can be done with builds. */
export const buildActions: readonly Action[] = [build, cancel];

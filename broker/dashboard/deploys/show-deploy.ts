import { html } from "hono/html";
import { getDeployRoute } from "../../../shared/api/install-components.ts";
import { installs } from "../../../shared/api/install.ts";
import { shownDeployWord } from "../../../shared/deploy-words.ts";
import type { Page } from "../page.ts";
import { choices, crumbs, heading } from "../parts/choices.ts";
import { deployBadge, deployFacts } from "./deploy-facts.ts";

/** GET /installs/{install_id}/deploys/{deploy_id}: what is deployed of a component, what it changes, or why it failed. */
export const showDeploy: Page = {
  path: "/installs/{install_id}/deploys/{deploy_id}",
  permission: "installs.read",
  async render(view) {
    const install_id = view.param("install_id");
    const params = { install_id, deploy_id: view.param("deploy_id") };
    const [install, deploy] = await Promise.all([
      view.ask(installs.get, { params: { install_id } }),
      view.ask(getDeployRoute, { params }),
    ]);
    const { component_name: name, build_id: build } = deploy;
    const at = `/installs/${install_id}`;
    return {
      title: `${name}: ${shownDeployWord(deploy)}`,
      live: deploy.finished_at === null ? ["jobs"] : [],
      main: html`${crumbs(["Installs", "/installs"], [install.name, at])}
      ${heading(`Deploy of ${name}`, deploy.id, deployBadge(deploy))}
      ${choices(view, [
        {
          label: "Deploy it again…",
          to: `${at}/components/${deploy.component_id}/deploy?build_id=${build}`,
          permission: "installs.operate",
          isOpen: build !== "",
        },
      ])}
      ${deployFacts(deploy, view, [
        ["Does", deploy.is_recovery ? "recover" : deploy.install_deploy_type],
        ["Type", html`<code>${deploy.component_type}</code>`],
        [
          "Build",
          build === ""
            ? "–"
            : html`<a class="id" href="/apps/${install.app_id}/builds/${build}">${build}</a>`,
        ],
      ])}`,
    };
  },
};

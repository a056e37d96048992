import { html } from "hono/html";
import { getSandboxRunRoute } from "../../../shared/api/install-components.ts";
import { installs } from "../../../shared/api/install.ts";
import { shownDeployWord } from "../../../shared/deploy-words.ts";
import type { Page } from "../page.ts";
import { crumbs, heading } from "../parts/choices.ts";
import { deployBadge, deployFacts } from "./deploy-facts.ts";

/** GET /installs/{install_id}/sandbox-runs/{sandbox_run_id}: what a run of the sandbox changes, or why it failed. */
export const showSandboxRun: Page = {
  path: "/installs/{install_id}/sandbox-runs/{sandbox_run_id}",
  permission: "installs.read",
  async render(view) {
    const install_id = view.param("install_id");
    const params = { install_id, sandbox_run_id: view.param("sandbox_run_id") };
    const [install, run] = await Promise.all([
      view.ask(installs.get, { params: { install_id } }),
      view.ask(getSandboxRunRoute, { params }),
    ]);
    return {
      title: `Sandbox: ${shownDeployWord(run)}`,
      live: run.finished_at === null ? ["jobs"] : [],
      main: html`${crumbs(["Installs", "/installs"], [install.name, `/installs/${install_id}`])}
      ${heading("Run of the sandbox", run.id, deployBadge(run))}
      ${deployFacts(run, view, [["Does", run.run_type]])}`,
    };
  },
};

import { html } from "hono/html";
import {
  type InstallComponent,
  listInstallComponentsRoute,
  listSandboxRunsRoute,
} from "../../../shared/api/install-components.ts";
import type { InstallSandboxRun } from "../../../shared/api/install-deploys.ts";
import type { Install } from "../../../shared/api/install.ts";
import type { Html, View } from "../page.ts";
import { listed } from "../parts/listed.ts";
import { type Column, table } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";
import { changesText, deployBadge } from "./deploy-facts.ts";

const newest = { limit: "5", cursor: "" };
/** Enough of a digest to tell it from others. */
const digestLetters = "sha256:".length + 12;

/** What an install has of components and of a sandbox; nothing where its app has neither. */
export async function deployedIn(view: View, install: Install): Promise<Html> {
  const params = { install_id: install.id };
  const [components, runs] = await Promise.all([
    view.ask(listInstallComponentsRoute, { params }),
    view.ask(listSandboxRunsRoute, { params, query: newest }),
  ]);
  const { items } = listed(runs);
  return html`${
    components.length === 0
      ? ""
      : html`<h2>Components</h2>
          ${table("Components and what is deployed of them", columnsFor(view, install), components)}`
  }
  ${
    items.length === 0
      ? ""
      : html`<h2>Sandbox</h2>
          ${table("Runs of the sandbox, the newest first", runColumns(view.nowMs), items)}`
  }`;
}

const columnsFor = (view: View, install: Install): readonly Column<InstallComponent>[] => [
  { head: "Component", cell: ({ component_name: name }) => name },
  { head: "Type", kind: "minor", cell: ({ component_type: type }) => html`<code>${type}</code>` },
  {
    head: "Status",
    cell: ({ status, enabled }) =>
      html`${deployBadge({ status })}${enabled === false ? html` <span class="dim">off</span>` : ""}`,
  },
  { head: "Deployed", cell: (component) => deployed(component, install) },
  {
    head: "Drift",
    cell: ({ drifted_object: drifted }) =>
      drifted === undefined
        ? "–"
        : html`<a href="/workflows/${drifted.install_workflow_id}">${changesText(drifted)}</a>`,
  },
  { head: "Newest deploy", cell: (component) => latest(component, view, install) },
];

function deployed({ deployed_id, install_deploys: all }: InstallComponent, install: Install): Html {
  const found = all.find(({ id }) => id === deployed_id);
  if (found === undefined) return html`<span class="dim">nothing</span>`;
  const { build_id: build, oci_artifact: artifact } = found;
  const digest = html`<code>${artifact?.digest.slice(0, digestLetters) ?? ""}</code>`;
  if (build === "") return digest;
  return html`<a class="id" href="/apps/${install.app_id}/builds/${build}">${build}</a> ${digest}`;
}

function latest(component: InstallComponent, view: View, install: Install): Html {
  const { latest_id, install_deploys: all, component_id: id } = component;
  const found = all.find((deploy) => deploy.id === latest_id);
  const at = `/installs/${install.id}`;
  const link =
    found === undefined
      ? html`<span class="dim">none yet</span>`
      : html`<a href="${at}/deploys/${found.id}">${found.install_deploy_type}</a>,
          ${timeAgo(found.created_at, view.nowMs)}`;
  if (!view.can("installs.operate")) return link;
  const deploy = html` <a href="${at}/components/${id}/deploy">deploy…</a>`;
  const tearDown = html` <a href="${at}/components/${id}/teardown">tear down…</a>`;
  // what the config no longer has can still be torn down
  return html`${link}${component.synced ? deploy : ""}${
    component.deployed_id === null ? "" : tearDown
  }`;
}

const runColumns = (nowMs: number): readonly Column<InstallSandboxRun>[] => [
  {
    head: "Run",
    cell: ({ id, install_id, run_type: type }) =>
      html`<a href="/installs/${install_id}/sandbox-runs/${id}">${type}</a>`,
  },
  { head: "Status", cell: deployBadge },
  { head: "Changes", cell: ({ changes }) => changesText(changes) },
  { head: "Made", cell: ({ created_at: at }) => timeAgo(at, nowMs) },
];

import { html } from "hono/html";
import type { ShownAction } from "../../../shared/api/actions.ts";
import { listActionsRoute } from "../../../shared/api/app-actions.ts";
import type { App } from "../../../shared/api/app.ts";
import { listComponentsRoute, type ShownComponent } from "../../../shared/api/components.ts";
import { listRunbooksRoute, type ShownRunbook } from "../../../shared/api/runbooks.ts";
import type { Html, View } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { listed } from "../parts/listed.ts";
import { type Column, table } from "../parts/table.ts";

type Part = Pick<ShownAction, "name" | "app_config_id" | "labels" | "config">;

/** As many as one page of the API has. */
const most = 100;

/** What the active config of an app has: its components, actions and runbooks; nothing where there is no such config. */
export async function partTables(view: View, app: App): Promise<Html> {
  if (app.active_config_id === null) return html``;
  const asked = { params: { app_id: app.id }, query: { limit: String(most), cursor: "" } };
  const [components, actions, runbooks] = await Promise.all([
    view.ask(listComponentsRoute, asked),
    view.ask(listActionsRoute, asked),
    view.ask(listRunbooksRoute, asked),
  ]);
  return html`${partsOf<ShownComponent>("component", app, listed(components), componentColumns(view.can("builds.write")))}
  ${partsOf<ShownAction>("action", app, listed(actions), actionColumns)}
  ${partsOf<ShownRunbook>("runbook", app, listed(runbooks), runbookColumns)}`;
}

type Kind = "component" | "action" | "runbook";
const titles: Readonly<Record<Kind, string>> = {
  component: "Components",
  action: "Actions",
  runbook: "Runbooks",
};

function partsOf<P extends Part>(
  kind: Kind,
  app: App,
  { items, next_cursor: next }: { readonly items: readonly P[]; readonly next_cursor: unknown },
  columns: readonly Column<P>[],
): Html {
  const inForce = items.filter(({ app_config_id: id }) => id !== null);
  const more = html`<p class="dim">
    Not all were looked through: <code>svc app ${kind} list ${app.name}</code> has them.
  </p>`;
  return html`<h2>${titles[kind]}</h2>
    ${
      inForce.length === 0
        ? html`<p class="dim">The active config has none.</p>`
        : table(`${titles[kind]} of the active config`, columns, inForce)
    }
    ${next === null ? "" : more}`;
}

const labels = {
  head: "Labels",
  kind: "minor",
  cell: ({ labels: all }: Part) => pairs(all),
} as const;

const componentColumns = (mayBuild: boolean): readonly Column<ShownComponent>[] => [
  { head: "Component", cell: ({ name }) => name },
  { head: "Type", cell: ({ type }) => html`<code>${type}</code>` },
  { head: "Needs", cell: ({ config }) => names(config?.["dependencies"]) },
  { head: "Newest build", cell: (component) => newestOf(component, mayBuild) },
  labels,
];

function newestOf({ app_id, id, latest_build: build }: ShownComponent, mayBuild: boolean): Html {
  const newest =
    build === undefined
      ? html`<span class="dim">never built</span>`
      : html`<a href="/apps/${app_id}/builds/${build.id}">${badge(build.status)}</a>`;
  if (!mayBuild) return newest;
  return html`${newest} <a href="/apps/${app_id}/components/${id}/build">build…</a>`;
}

const actionColumns: readonly Column<ShownAction>[] = [
  { head: "Action", cell: ({ name }) => name },
  { head: "Begun by", cell: ({ config }) => triggersOf(config) },
  {
    head: "Approval",
    cell: ({ config }) => (config?.["approval"] === true ? "somebody must approve" : "–"),
  },
  labels,
];

const runbookColumns: readonly Column<ShownRunbook>[] = [
  { head: "Runbook", cell: ({ name }) => name },
  { head: "Steps", cell: ({ config }) => stepsOf(config) },
  { head: "What it is for", kind: "minor", cell: ({ description }) => textOf(description) },
];

type Config = Part["config"];

function triggersOf(config: Config): Html | string {
  const triggers = listOf(config?.["triggers"]);
  if (triggers.length === 0) return "a person";
  return html`${triggers.map(({ type, cron_schedule: schedule }, at) => {
    const when = schedule === undefined ? "" : html` <code>${textOf(schedule)}</code>`;
    return html`${at === 0 ? "" : ", "}${textOf(type)}${when}`;
  })}`;
}

const stepsOf = (config: Config): string =>
  listOf(config?.["steps"])
    .map(({ name }) => textOf(name))
    .join(", ") || "–";

/** Tables of a config, as it was checked. */
function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? (value as readonly Readonly<Record<string, unknown>>[]) : [];
}

const textOf = (value: unknown): string =>
  typeof value === "string" && value !== "" ? value : "–";

const names = (value: unknown): string =>
  Array.isArray(value) && value.length > 0 ? value.map(textOf).join(", ") : "–";

function pairs(map: Part["labels"]): Html | string {
  const entries = Object.entries(map);
  if (entries.length === 0) return "–";
  return html`${entries.map(([key, value]) => html`<code>${key}=${value}</code> `)}`;
}

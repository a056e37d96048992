import { html } from "hono/html";
import { workflowStatusSchema } from "../../../shared/api/workflow.ts";
import { listWorkflowsRoute } from "../../../shared/api/workflows.ts";
import { workflowCharts } from "../charts/activity-charts.ts";
import { listPage } from "../parts/list-page.ts";
import { listed, pageAsked } from "../parts/listed.ts";
import { workflowTable } from "./workflow-table.ts";

/** GET /workflows: what is done to installs. */
export const listWorkflows = listPage({
  path: "/workflows",
  permission: "workflows.read",
  title: "Workflows",
  icon: "workflows",
  one: "workflow",
  live: ["jobs"],
  filters: {
    status: { label: "Status", values: workflowStatusSchema.options },
    type: { label: "Type", placeholder: "provision" },
    owner_id: { label: "Install", placeholder: "ins_…" },
    parent_id: { label: "Begun by", placeholder: "wfl_…" },
  },
  read: async (view, query) =>
    listed(await view.ask(listWorkflowsRoute, { query: pageAsked(query) })),
  show: async (items, view) =>
    html`${workflowTable(items, view.nowMs)} ${await workflowCharts(view)}`,
  whenNone: html`A new install begins one, and so does <code>svc action run INSTALL ACTION</code>`,
});

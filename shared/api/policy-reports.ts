import { z } from "@hono/zod-openapi";
import { policyStatuses } from "../policies/judge-policies.ts";
import { reportOwners } from "../policies/report-owners.ts";
import { created, is } from "../resources/filters.ts";
import {
  instant,
  int,
  json as stored,
  list,
  made,
  owned,
  text,
  word,
} from "../resources/members.ts";
import { type ItemOf, resource } from "../resources/resource.ts";
import { compositeStatusSchema } from "./composite-status.ts";
import { createRoute } from "./create-route.ts";

const input = z
  .object({ id: z.string(), name: z.string(), type: z.string() })
  .openapi("PolicyInputRef");

const result = z
  .object({
    policy_id: z.string(),
    policy_name: z.string(),
    status: z.enum(policyStatuses),
    deny_count: z.int(),
    warn_count: z.int(),
    pass_count: z.int(),
    input_count: z.int(),
  })
  .openapi("PolicyResult");

const violation = z
  .object({
    policy_id: z.string(),
    policy_name: z.string(),
    input_index: z.int(),
    input_identity: z.string(),
    message: z.string(),
    severity: z.enum(["deny", "warn"]),
  })
  .openapi("PolicyViolation");

const id = z.string().max(64).optional();

export const policyReports = resource({
  noun: "report",
  plural: "reports of policies",
  schema: "PolicyReport",
  tag: "Policies",
  prefix: "plr",
  param: "report_id",
  path: "/v1/policy-reports",
  under: [],
  surface: "control-plane",
  read: "apps.read",
  opens: ["list", "get"],
  bound: "list",
  says: { list: "List reports of policies", get: "Read a report of policies" },
  members: {
    ...owned,
    org_name: text(),
    owner_id: text("Of what was judged."),
    owner_type: word(reportOwners),
    app_id: text(),
    app_name: text(),
    component_id: text("Empty for a sandbox."),
    component_name: text(),
    install_id: text("Empty for a build."),
    install_name: text(),
    runner_job_id: text("The job whose result was judged."),
    workflow_step_policy_validation_id: text(
      "Its own id: a report is what its step shows as `policy_validation`.",
    ),
    status: stored(compositeStatusSchema, "`success`, `warning` or `error`, by the verdict."),
    verdict: word(
      policyStatuses,
      "What all policies together say: `error` where one could not be evaluated, which is no consent.",
    ),
    inputs: stored(z.array(input), "What was judged."),
    policy_ids: list(z.string()),
    policies: stored(z.array(result), "What each policy said."),
    violations: stored(
      z.array(violation),
      "At most 500, those that deny first; a message has at most 4 KiB. What is left out is said.",
    ),
    deny_count: int(),
    warn_count: int(),
    pass_count: int("How often a policy said nothing of an input."),
    evaluated_at: instant(),
    created_at: made.created_at,
    updated_at: instant(),
    created_by_id: text("Who asked for what was judged."),
  },
  filters: {
    ...created,
    app_id: is("app_id", id.describe("Of this app.")),
    install_id: is("install_id", id.describe("Of this install.")),
    owner_id: is("owner_id", id.describe("Of this build, deploy or run.")),
    owner_type: is("owner_type", z.enum(reportOwners).optional().describe("Of this kind.")),
    status: is(
      "status_word",
      z.enum(["success", "warning", "error"]).optional().describe("Of this status."),
    ),
    verdict: is("verdict", z.enum(policyStatuses).optional().describe("Of this verdict.")),
  },
});
export type PolicyReport = ItemOf<typeof policyReports>;

export const exportFormats = ["json", "csv"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export const exportPolicyReportRoute = createRoute("exportPolicyReport", {
  get: "/v1/policy-reports/{report_id}/export",
  rule: { surface: "control-plane", permission: "apps.read" },
  tags: ["Policies"],
  summary: "Export a report of policies as a file",
  description:
    "`csv` has a line for each message, and one for each policy without any. Cells that a spreadsheet would compute begin with an apostrophe.",
  query: z.object({
    format: z.enum(exportFormats).default("json").describe("The format of the file."),
  }),
  responses: {
    200: {
      description: "The file.",
      content: {
        "application/json": { schema: policyReports.itemSchema },
        "text/csv": { schema: z.string() },
      },
    },
  },
});

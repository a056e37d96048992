import {
  exportFormats,
  exportPolicyReportRoute,
  policyReports,
} from "../../shared/api/policy-reports.ts";
import { policyStatuses } from "../../shared/policies/judge-policies.ts";
import { findApp } from "../apps/find-app.ts";
import { type Command, defineCommand } from "../command.ts";
import { defineList } from "../lists/define-list.ts";
import { pageOfListing, pagesOfListing } from "../lists/listing-pages.ts";
import { printItem } from "../output/print.ts";
import { reportDetails, reportLine } from "./report-view.ts";
import { testPolicies } from "./test-policies.ts";

const args = { report: { summary: "The report's id.", offers: "policy-reports" } } as const;

const listReports = defineList({
  name: "policy reports",
  summary: "List what policies said of builds, newest first.",
  flags: {
    app: { value: "APP", offers: "apps", summary: "Only of this app." },
    of: { value: "ID", summary: "Only of this build." },
    verdict: { value: "VERDICT", choices: policyStatuses, summary: "Only those of this verdict." },
  },
  examples: [{ does: "List what was denied.", run: "svc policy reports --verdict deny" }],
  view: reportLine,
  empty: "No reports found. Policies of images are evaluated when a build has made one.",
  read: async ({ flags: { app, of, verdict }, call, page }) => {
    const app_id = app === undefined ? undefined : (await findApp(call, app)).body.id;
    const query = { app_id, owner_id: of, verdict, ...pagesOfListing(page) };
    return pageOfListing(await call(policyReports.list, { query }));
  },
});

const getReport = defineCommand({
  name: "policy report get",
  summary: "Show a report: what each policy said, and its messages.",
  args,
  examples: [{ does: "Show a report.", run: "svc policy report get plr_…" }],
  run: async ({ args: { report: report_id }, call, screen }) => {
    printItem(screen, await call(policyReports.get, { params: { report_id } }), reportDetails);
  },
});

const exportReport = defineCommand({
  name: "policy report export",
  summary: "Print a report as a file.",
  args,
  flags: {
    format: { value: "FORMAT", choices: exportFormats, summary: "The format (default json)." },
  },
  examples: [
    { does: "Keep it for a spreadsheet.", run: "svc policy report export plr_… --format csv" },
  ],
  run: async ({ args: { report: report_id }, flags: { format }, call, screen }) => {
    const asked = { params: { report_id }, query: { format: format ?? "json" } } as const;
    screen.asIs.out((await call(exportPolicyReportRoute, asked)).text.replace(/\r?\n$/, ""));
  },
});

/** The commands of policies, in the order of help. */
export const policyCommands: readonly Command[] = [
  testPolicies,
  listReports,
  getReport,
  exportReport,
];

import { html } from "hono/html";
import type { PolicyReport } from "../../../shared/api/policy-reports.ts";
import type { Html } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { type Column, table } from "../parts/table.ts";

type Report = Pick<
  PolicyReport,
  "id" | "status" | "verdict" | "policies" | "violations" | "deny_count" | "warn_count"
>;

/** What policies said of something: each with its counts, and the first messages. Nothing where none was asked. */
export function policySaid(reports: readonly Report[]): Html {
  return html`${reports.map(one)}`;
}

function one({ id, status, verdict, policies, violations, ...counts }: Report): Html {
  const left = counts.deny_count + counts.warn_count - violations.length;
  return html`<h2>Policies</h2>
    <p>${badge(verdict)} <code>${id}</code> ${status.status_human_description}</p>
    ${policies.length === 0 ? "" : table("Policies that were evaluated", policyColumns, policies)}
    ${violations.length === 0 ? "" : table("What they say", messageColumns, violations)}
    ${left > 0 ? html`<p class="dim">And ${left} more: <code>svc policy report get ${id}</code></p>` : ""}`;
}

const policyColumns: readonly Column<Report["policies"][number]>[] = [
  { head: "Policy", cell: ({ policy_name: name }) => name },
  { head: "Verdict", cell: ({ status }) => badge(status) },
  { head: "Denies", kind: "figure", cell: ({ deny_count: count }) => count },
  { head: "Warns", kind: "figure", cell: ({ warn_count: count }) => count },
];

const messageColumns: readonly Column<Report["violations"][number]>[] = [
  { head: "Policy", cell: ({ policy_name: name }) => name },
  { head: "Says", cell: ({ severity }) => badge(severity) },
  { head: "Of", kind: "minor", cell: ({ input_identity: of }) => of },
  { head: "Message", cell: ({ message }) => message },
];

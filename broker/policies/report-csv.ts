import type { PolicyReport } from "../../shared/api/policy-reports.ts";

/** A report as a table: a line for each message, and one for each policy without any. */
export function reportCsv({
  id,
  evaluated_at,
  app_name,
  component_name,
  ...report
}: PolicyReport): string {
  const same = [id, evaluated_at, app_name, component_name];
  const said = report.violations.map((one) => [
    ...same,
    one.policy_id,
    one.policy_name,
    one.severity,
    one.input_identity,
    one.message,
  ]);
  const named = new Set(report.violations.map(({ policy_id }) => policy_id));
  const silent = report.policies
    .filter(({ policy_id }) => !named.has(policy_id))
    .map((one) => [...same, one.policy_id, one.policy_name, one.status, "", ""]);
  return [head, ...said, ...silent].map((cells) => `${cells.map(cell).join(",")}\r\n`).join("");
}

const head = [
  "report_id",
  "evaluated_at",
  "app",
  "component",
  "policy_id",
  "policy",
  "result",
  "input",
  "message",
];

/** Quoted; a text that a spreadsheet would compute is kept a text. */
function cell(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}

import type { PolicyReport } from "../../shared/api/policy-reports.ts";
import { formatAge, formatInstant } from "../output/format-age.ts";
import type { View } from "../output/print.ts";

const nameOf = ({ id }: PolicyReport): string => id;
const counts = ({ deny_count, warn_count, pass_count }: PolicyReport): string =>
  `${deny_count} deny, ${warn_count} warn, ${pass_count} pass`;

/** A report in a list. */
export const reportLine: View<PolicyReport> = {
  nameOf,
  columns: {
    ID: nameOf,
    APP: ({ app_name: name }) => name,
    COMPONENT: ({ component_name: name }) => name,
    VERDICT: ({ verdict }) => verdict,
    COUNTS: counts,
    OF: ({ owner_id: id }) => id,
    AGE: ({ evaluated_at: at }) => formatAge(at),
  },
};

/** One report, whole. */
export const reportDetails: View<PolicyReport> = {
  nameOf,
  columns: {
    report: nameOf,
    verdict: ({ verdict, status: { status_human_description: why } }) =>
      why === "" ? verdict : `${verdict}: ${why}`,
    counts,
    app: ({ app_name: name, app_id: id }) => `${name} (${id})`,
    component: ({ component_name: name }) => name,
    install: ({ install_name: name }) => name,
    of: ({ owner_type: type, owner_id: id }) => `${id} (${type})`,
    judged: ({ inputs }) => inputs.map(({ name }) => name).join("\n"),
    policies: ({ policies }) =>
      policies.map(({ policy_name: name, status }) => `${name}: ${status}`).join("\n"),
    messages: ({ violations }) =>
      violations.map((one) => `${one.severity}  ${one.policy_name}: ${one.message}`).join("\n"),
    job: ({ runner_job_id: id }) => id,
    evaluated: ({ evaluated_at: at }) => formatInstant(at),
  },
};

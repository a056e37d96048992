import { logSeverities } from "../../../shared/log-severity.ts";

/** What the page and the download of a log can be narrowed to. */
export const logFilters = {
  q: { label: "Text", placeholder: "in either case" },
  severity: { label: "At least", values: logSeverities },
  step: { label: "Step" },
} as const;

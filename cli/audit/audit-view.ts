import type { AuditEventBody } from "../../shared/api/audit.ts";
import type { View } from "../output/print.ts";

/** An event of the audit log as a line of a list. */
export const auditLine: View<AuditEventBody> = {
  nameOf: ({ id }) => id,
  columns: {
    AT: ({ at }) => at.replace(/\.\d+Z$/, "Z"),
    WHO: ({ actor_name: name, actor_id: id, token_hint: hint }) =>
      [name || id, hint && `(${hint})`].filter(Boolean).join(" "),
    ACTION: ({ action, count }) => (count > 1 ? `${action} ×${count}` : action),
    TARGET: ({ target_id: id }) => id ?? "",
    OUTCOME: ({ outcome, status, code }) =>
      [outcome, outcome === "allowed" ? "" : code || status].filter(Boolean).join(": "),
    FROM: ({ ip }) => ip,
    REASON: ({ reason }) => reason,
  },
};

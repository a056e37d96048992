import type { Org } from "../../shared/api/orgs.ts";
import { retainedKinds } from "../../shared/retention.ts";
import { formatAge } from "../output/format-age.ts";
import type { View } from "../output/print.ts";

/** An org as a line of a list. */
export const orgView: View<Org> = {
  nameOf: ({ id }) => id,
  columns: {
    ID: ({ id }) => id,
    NAME: ({ name }) => name,
    AGE: ({ created_at }) => formatAge(created_at),
  },
};

/** An org by itself. */
export const orgDetails: View<Org> = {
  nameOf: orgView.nameOf,
  columns: {
    ...orgView.columns,
    "SELF-APPROVAL": ({ prevent_self_approval: prevents }) => (prevents ? "prevented" : "allowed"),
    "NO-OPS": ({ auto_skip_noops: skips }) => (skips ? "skipped" : "as configs say"),
    KEEPS: keptFor,
  },
};

/** The shorter of the org's days and the broker's: a broker may have been set to fewer days since. */
function keptFor({ retention_days: own, retention_limit_days: limits }: Org): string {
  const lines = retainedKinds.map((kind) => {
    const [days, limit] = [own[kind], limits[kind]];
    const isOwn = days !== null && days <= limit;
    return `${kind.padEnd(13)}  ${isOwn ? days : limit} days${isOwn ? "" : " (the broker's)"}`;
  });
  return lines.join("\n");
}

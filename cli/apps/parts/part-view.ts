import type { ShownPart } from "../../../shared/api/named-part-members.ts";
import { formatAge, formatInstant } from "../../output/format-age.ts";
import type { View } from "../../output/print.ts";

type Part = ShownPart & { readonly type?: string | null };

const nameOf = ({ name }: Part): string => name;
const configOf = ({ app_config_id: id }: Part): string => id ?? "not in the active config";

/** A component or a runbook of an app in a list. */
export const partLine = {
  nameOf,
  columns: {
    NAME: nameOf,
    ID: ({ id }) => id,
    TYPE: ({ type }) => type ?? "",
    CONFIG: configOf,
    AGE: ({ created_at }) => formatAge(created_at),
  },
} satisfies View<Part>;

/** One of them, with what the active config says of it. */
export const partDetails = {
  nameOf,
  columns: {
    name: nameOf,
    id: ({ id }) => id,
    app: ({ app_id: app }) => app,
    type: ({ type }) => type ?? "",
    config: configOf,
    created: ({ created_at }) => formatInstant(created_at),
    members: ({ config }) => (config === null ? "" : JSON.stringify(config, null, 2)),
  },
} satisfies View<Part>;

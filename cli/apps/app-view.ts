import type { App } from "../../shared/api/app.ts";
import { formatAge, formatInstant } from "../output/format-age.ts";
import type { View } from "../output/print.ts";

const nameOf = (app: App): string => app.id;

/** An app in a list. */
export const appLine: View<App> = {
  nameOf,
  columns: {
    ID: nameOf,
    NAME: ({ name }) => name,
    "DISPLAY NAME": ({ display_name: name }) => name,
    CONFIGS: ({ config_count: count }) => String(count),
    AGE: ({ created_at }) => formatAge(created_at),
  },
};

/** One app. */
export const appDetails: View<App> = {
  nameOf,
  columns: {
    app: nameOf,
    name: ({ name }) => name,
    "display name": ({ display_name: name }) => name,
    description: ({ description }) => description,
    repository: ({ config_repo: repo }) => repo,
    directory: ({ config_directory: directory }) => directory,
    config: ({ active_config_id: id, config_count: count }) =>
      id === null ? "none yet" : `${id} (of ${count})`,
    runners: ({ runner_type: type }) => type ?? "",
    labels: ({ default_labels: labels }) =>
      Object.entries(labels)
        .map(([key, value]) => `${key}=${value}`)
        .join("\n"),
    created: ({ created_at }) => formatInstant(created_at),
  },
};

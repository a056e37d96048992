import type { App } from "../../shared/api/app.ts";
import type { AppRow } from "./row.ts";

/** An app as the API shows it. */
export function toApp(row: AppRow): App {
  return {
    id: row.id,
    org_id: row.org_id,
    name: row.name,
    display_name: row.display_name,
    description: row.description,
    config_repo: row.config_repo,
    config_directory: row.config_directory,
    runner_type: row.runner_type,
    default_labels: row.default_labels,
    label_colors: row.label_colors,
    links: row.links,
    config_count: row.config_count,
    active_config_id: row.active_config_id,
    created_by_id: row.created_by_id,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

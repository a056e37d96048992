import type { ValidConfig } from "../../../shared/app-config/check-config.ts";
import { newId } from "../../database/new-id.ts";
import type { ConfigDraft } from "../queries.ts";

/** What is known of a config besides what it says. */
export type DraftAsked = {
  readonly id: string;
  readonly cliVersion: string;
  readonly actorId: string;
  /** What changes is built once it is in force. */
  readonly builds: boolean;
};

/** A checked config as it is stored. */
export function toConfigDraft(
  config: ValidConfig,
  { id, cliVersion, actorId, remarks, builds }: DraftAsked & Pick<ConfigDraft, "remarks">,
): ConfigDraft {
  const { metadata, runner } = config.document;
  return {
    id,
    name: metadata.name,
    checksum: config.checksum,
    document: config.text,
    brands: config.document.brands ?? [],
    remarks,
    cli_version: cliVersion,
    display_name: metadata.display_name,
    description: metadata.description,
    default_labels: metadata.default_labels ?? {},
    label_colors: metadata.label_colors ?? {},
    links: metadata.links ?? {},
    runner_type: runner?.runner_type,
    created_by_id: actorId,
    builds,
    actions: (config.document.actions ?? []).map(({ name, labels = {} }) => ({
      name,
      labels,
      id: newId("act"),
      config_id: newId("awc"),
    })),
    components: (config.document.components ?? []).map(({ name }) => ({ name, id: newId("cmp") })),
    runbooks: (config.document.runbooks ?? []).map(({ name }) => ({ name, id: newId("rbk") })),
  };
}

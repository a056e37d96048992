import type { InstallReadme } from "../../shared/api/install-records.ts";
import type { Asking } from "../app-configs/changes-between.ts";
import type { Broker } from "../broker.ts";
import { renderForInstall } from "./render-for-install.ts";
import type { ReadingParts } from "./stored-values.ts";

/** The app's readme as it is for an install, with what is sensitive hidden. */
export async function showReadme(
  broker: ReadingParts & Pick<Broker, "render">,
  asking: Asking,
  id: string,
): Promise<InstallReadme> {
  const { facts, template, shown } = await renderForInstall(broker, asking, {
    id,
    templateOf: ({ config }) => config.metadata.readme ?? "",
  });
  const warnings = shown.faults.map(({ line, detail }) => `Line ${line}: ${detail}`);
  return { ...shown, original: template, app_config_id: facts.configId, warnings };
}

import type { InstallReadme } from "../../shared/api/install-records.ts";
import { problem } from "../../shared/problem.ts";
import type { Asking } from "../app-configs/changes-between.ts";
import type { Broker } from "../broker.ts";
import { findInstallFacts } from "./install-facts.ts";
import { requireInstall } from "./keep-installs.ts";
import { stateBase } from "./state-base.ts";
import { readingWithin } from "./state-values.ts";
import type { ReadingParts } from "./stored-values.ts";

/** The app's readme as it is for an install, with what is sensitive hidden. */
export async function showReadme(
  broker: ReadingParts & Pick<Broker, "render">,
  { actor: { orgId }, withPermit, gone }: Asking,
  id: string,
): Promise<InstallReadme> {
  const facts = await withPermit(async () => {
    await requireInstall(broker.db, orgId, id);
    return await findInstallFacts(broker, orgId, {
      id,
      choose: ({ install, app }) => install.applied_config_id ?? app.active_config_id,
    });
  });
  if (facts === undefined) throw problem.notFound("install");
  const template = facts.config.metadata.readme ?? "";
  const given = { template, facts: stateBase(facts) };
  const values = readingWithin(withPermit, facts.values);
  const shown = await broker.render({ orgId, name: "readme", given, values }, gone);
  const warnings = shown.faults.map(({ line, detail }) => `Line ${line}: ${detail}`);
  return { ...shown, original: template, app_config_id: facts.configId, warnings };
}

import { problem } from "../../shared/problem.ts";
import type { Asking } from "../app-configs/changes-between.ts";
import type { Broker } from "../broker.ts";
import { findInstallFacts, type InstallFacts } from "./install-facts.ts";
import { requireInstall } from "./keep-installs.ts";
import { stateBase } from "./state-base.ts";
import { readingWithin } from "./state-values.ts";
import type { ReadingParts } from "./stored-values.ts";

/** A text rendered for who reads an install, with what is sensitive hidden; 404 where there is no such install. */
export async function renderForInstall(
  broker: ReadingParts & Pick<Broker, "render">,
  { actor: { orgId }, withPermit, gone }: Asking,
  { id, templateOf }: { readonly id: string; readonly templateOf: (facts: InstallFacts) => string },
) {
  const facts = await withPermit(async () => {
    await requireInstall(broker.db, orgId, id);
    return await findInstallFacts(broker, orgId, {
      id,
      choose: ({ install, app }) => install.applied_config_id ?? app.active_config_id,
    });
  });
  if (facts === undefined) throw problem.notFound("install");
  const template = templateOf(facts);
  const given = { template, facts: stateBase(facts) };
  const values = readingWithin(withPermit, facts.values);
  const shown = await broker.render({ orgId, name: "readme", given, values }, gone);
  return { facts, template, shown };
}

import type { InstallReadme } from "../../shared/api/install-records.ts";
import { renderWhatCan } from "../../shared/app-config/templates/render-template.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";
import { hideInText } from "../workflows/hide-values.ts";
import { findInstallFacts } from "./install-facts.ts";
import { hiddenValues, shownStateOf } from "./install-state.ts";
import { requireInstall } from "./keep-installs.ts";

/** The app's readme as it is for an install, with what is sensitive hidden. */
export async function showReadme(
  parts: { readonly db: Db; readonly seals: Seals },
  org: OrgId,
  id: string,
): Promise<InstallReadme> {
  await requireInstall(parts.db, org, id);
  const facts = await findInstallFacts(parts, org, {
    id,
    choose: ({ install, app }) => install.applied_config_id ?? app.active_config_id,
  });
  if (facts === undefined) throw problem.notFound("install");
  const template = facts.config.metadata.readme ?? "";
  const place = { file: "metadata.toml", member: "readme" };
  const { text, faults } = renderWhatCan(template, { svc: shownStateOf(facts) }, place);
  const hidden = hiddenValues(facts);
  return {
    readme: hideInText(text, hidden),
    app_config_id: facts.configId,
    warnings: faults.map(({ code, line, path, detail }) => ({
      code,
      line,
      path,
      detail: hideInText(detail, hidden),
    })),
  };
}

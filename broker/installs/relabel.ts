import { problem } from "../../shared/problem.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { findInstallFacts } from "./install-facts.ts";
import { checkLabelTemplates, labelOrder } from "./label-templates.ts";
import type { LabelOrder } from "./render-labels.ts";
import type { StoredValues } from "./state-values.ts";
import type { ReadingParts } from "./stored-values.ts";

type Texts = Readonly<Record<string, string>>;
/** What is to be rendered, the labels that an install has with what comes of it, and by which version of it this is. */
type Relabelling = {
  readonly order: { readonly given: LabelOrder; readonly values: StoredValues };
  readonly labelsWith: (rendered: Texts) => Texts;
  readonly version: number;
};

/** How an install, perhaps of another name, gets these templates of labels in place of its own; 422 for what is wrong with them. */
export async function relabel(
  parts: ReadingParts,
  org: OrgId,
  {
    id,
    templates,
    name,
  }: { readonly id: string; readonly templates: Texts; readonly name: string | undefined },
): Promise<Relabelling> {
  const facts = await findInstallFacts(parts, org, {
    id,
    choose: ({ install, app }) => install.applied_config_id ?? app.active_config_id,
  });
  if (facts === undefined || facts.install.deleted_at !== null) throw problem.notFound("install");
  const { label_templates: former, app_default_labels: locked, version } = facts.install;
  const own = without(without(facts.install.labels, former), locked);
  checkLabelTemplates(facts.config, { templates, labels: own, locked });
  const install = {
    ...facts.install,
    name: name ?? facts.install.name,
    labels: { ...own, ...locked },
  };
  return {
    order: { given: labelOrder({ ...facts, install }, templates), values: facts.values },
    labelsWith: (rendered) => ({ ...own, ...rendered, ...locked }),
    version,
  };
}

const without = (labels: Texts, others: Texts): Texts =>
  Object.fromEntries(Object.entries(labels).filter(([key]) => !Object.hasOwn(others, key)));

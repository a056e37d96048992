import { pointerTo } from "../../shared/app-config/config-fault.ts";
import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import { readReferences } from "../../shared/app-config/read-references.ts";
import { makeMeant } from "../../shared/app-config/rules/make-meant.ts";
import { labelLimits } from "../../shared/labels.ts";
import { type Pointer, problem, type ProblemError } from "../../shared/problem.ts";
import type { LabelOrder, RenderedLabels } from "./render-labels.ts";
import { stateBase } from "./state-base.ts";

type Texts = Readonly<Record<string, string>>;
type Labels = {
  readonly templates: Texts;
  readonly labels: Texts;
  /** The app's: they are locked. */
  readonly locked: Texts;
};

/** Refuses with 422 templates of labels that are none, read what the config has not, or are of keys that have a value already. */
export function checkLabelTemplates(
  config: AppConfigDocument,
  { templates, labels, locked }: Labels,
): void {
  const errors = Object.keys(templates).flatMap((key) => faultOfKey(key, { labels, locked }));
  const tell = Object.assign(
    ([member, key]: readonly (string | number)[], code: string, detail: string): void => {
      if (member === "label_templates")
        errors.push({ pointer: pointerOf(String(key)), code, detail });
    },
    { meant: makeMeant(), brands: config.brands ?? [] },
  );
  readReferences({ ...config, label_templates: templates }, tell, { only: "label_templates" });
  if (errors.length > 0) throw problem.invalid(errors);
  if (Object.keys({ ...labels, ...templates, ...locked }).length > labelLimits.count)
    throw problem.invalid([
      {
        pointer: "#/labels",
        code: "too_big",
        detail: `An install may have ${labelLimits.count} labels, with those of the app and of templates.`,
      },
    ]);
}

const pointerOf = (key: string): Pointer =>
  `#/label_templates/${pointerTo([key]).slice("#/".length)}`;

function faultOfKey(key: string, { labels, locked }: Omit<Labels, "templates">): ProblemError[] {
  const pointer = pointerOf(key);
  if (Object.hasOwn(locked, key))
    return [{ pointer, code: "label_locked", detail: `The app gives the label ${key}.` }];
  if (!Object.hasOwn(labels, key)) return [];
  return [{ pointer, code: "one_of", detail: `Give ${key} in labels or in label_templates.` }];
}

/** What is to be rendered of the templates of labels of an install, as it is known now. They read none of each other. */
export function labelOrder(facts: Parameters<typeof stateBase>[0], templates: Texts): LabelOrder {
  const own = Object.entries(facts.install.labels).filter(
    ([key]) => !Object.hasOwn(templates, key),
  );
  const install = { ...facts.install, labels: Object.fromEntries(own) };
  return { templates, facts: stateBase({ ...facts, install }) };
}

/** The labels that were rendered for a request; 422 for the template at which what all of them may take was spent. */
export function requireLabels(rendered: RenderedLabels): Texts {
  if (rendered.labels !== undefined) return rendered.labels;
  const { spentAt: key, why } = rendered;
  const detail = `All label templates together take too much, reached at ${key}: ${why}. Simplify it or those before it.`;
  throw problem.invalid([{ pointer: pointerOf(key), code: "template_too_costly", detail }]);
}

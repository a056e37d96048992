import { canonicalJson } from "../../shared/app-config/canonical-json.ts";
import { pointerTo } from "../../shared/app-config/config-fault.ts";
import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import { readReferences } from "../../shared/app-config/read-references.ts";
import { makeMeant } from "../../shared/app-config/rules/make-meant.ts";
import { renderTemplate } from "../../shared/app-config/templates/render-template.ts";
import { labelLimits } from "../../shared/labels.ts";
import { type Pointer, problem, type ProblemError } from "../../shared/problem.ts";
import { hideInText } from "../workflows/hide-values.ts";
import { hiddenValues, shownStateOf, type StateFacts } from "./install-state.ts";

type Texts = Readonly<Record<string, string>>;
type Wanted = {
  readonly templates: Texts;
  readonly labels: Texts;
  /** The app's: they are locked. */
  readonly locked: Texts;
};

/** Refuses with 422 templates of labels that are none, read what the config has not, or are of keys that have a value already. */
export function checkLabelTemplates(
  config: AppConfigDocument,
  { templates, labels, locked }: Wanted,
): void {
  const errors = Object.keys(templates).flatMap((key) => faultOfKey(key, { labels, locked }));
  const tell = Object.assign(
    ([member, key]: readonly (string | number)[], code: string, detail: string): void => {
      if (member === "label_templates")
        errors.push({ pointer: pointerOf(String(key)), code, detail });
    },
    { meant: makeMeant() },
  );
  readReferences({ ...config, label_templates: templates }, tell);
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

function faultOfKey(key: string, { labels, locked }: Omit<Wanted, "templates">): ProblemError[] {
  const pointer = pointerOf(key);
  if (Object.hasOwn(locked, key))
    return [{ pointer, code: "label_locked", detail: `The app gives the label ${key}.` }];
  if (!Object.hasOwn(labels, key)) return [];
  return [{ pointer, code: "one_of", detail: `Give ${key} in labels or in label_templates.` }];
}

/** What they give now where that is something else than the install has; undefined where it is the same. */
export function changedLabels(facts: StateFacts, templates: Texts): Texts | undefined {
  const before = Object.entries(facts.install.labels).filter(([key]) =>
    Object.hasOwn(templates, key),
  );
  const after = renderLabels(facts, templates);
  return canonicalJson(Object.fromEntries(before)) === canonicalJson(after) ? undefined : after;
}

/** What the templates give now, by key, with what is sensitive hidden. One that gives nothing, or too much, gives no label. */
export function renderLabels(facts: StateFacts, templates: Texts): Texts {
  const own = Object.entries(facts.install.labels).filter(
    ([key]) => !Object.hasOwn(templates, key),
  );
  const install = { ...facts.install, labels: Object.fromEntries(own) };
  const svc = shownStateOf({ ...facts, install });
  const hidden = hiddenValues(facts);
  const rendered = Object.entries(templates).flatMap(([key, template]) => {
    const { text } = renderTemplate(template, { svc }, { file: "labels", member: key });
    if (text === undefined) return [];
    const value = hideInText(text, hidden).trim();
    return value === "" || value.length > labelLimits.value ? [] : [[key, value] as const];
  });
  return Object.fromEntries(rendered);
}

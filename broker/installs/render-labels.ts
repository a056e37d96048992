import { renderTemplate } from "../../shared/app-config/templates/render-template.ts";
import type { RenderWork } from "../../shared/app-config/templates/render-work.ts";
import { labelLimits } from "../../shared/labels.ts";
import { hideCounted } from "../rendering/hide-counted.ts";
import { byRoots, hiddenValues, shownStateOf } from "./install-state.ts";
import type { StateBase } from "./state-base.ts";
import type { StateValues } from "./state-values.ts";

type Texts = Readonly<Record<string, string>>;
/** Templates of labels by key, and of which install. */
export type LabelOrder = { readonly templates: Texts; readonly facts: StateBase };

/** The labels that they give; or, by its key, at which of them the budget for all was spent. */
export type RenderedLabels =
  | { readonly labels: Texts; readonly spentAt?: undefined }
  | { readonly labels?: undefined; readonly spentAt: string; readonly why: string };

/** Far more than a label has, and than what is hidden in one could be. */
const mostLetters = 64 * 1024;
const tooLong = "it takes too many steps to hide in it what is sensitive";

/** What the templates give, with what is sensitive hidden. One that gives nothing, or too much, gives no label. */
export function renderLabels(
  { templates, facts: base }: LabelOrder,
  values: StateValues,
  work: RenderWork,
): RenderedLabels {
  const facts = { ...base, ...values };
  const svc = shownStateOf(facts, work);
  const hidden = hiddenValues(facts);
  const labels: [string, string][] = [];
  for (const [key, template] of Object.entries(templates)) {
    const place = { file: "labels", member: key };
    const { text, faults } = renderTemplate(template, byRoots(svc, base), place, { work });
    if (work.isSpent) return { spentAt: key, why: faults?.at(-1)?.detail ?? "" };
    if (text === undefined || text.length > mostLetters) continue;
    const value = hideCounted(text, hidden, work)?.trim();
    if (value === undefined) return { spentAt: key, why: tooLong };
    if (value !== "" && value.length <= labelLimits.value) labels.push([key, value]);
  }
  return { labels: Object.fromEntries(labels) };
}

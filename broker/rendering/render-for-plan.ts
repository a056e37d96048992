import type { Json } from "../../shared/app-config/templates/json-value.ts";
import { renderValue } from "../../shared/app-config/templates/render-template.ts";
import type { RenderWork } from "../../shared/app-config/templates/render-work.ts";
import type { RenderPlace } from "../../shared/app-config/templates/rendering.ts";
import { byRoots, sensitiveOf, type StateFacts, stateOf } from "../installs/install-state.ts";
import { faultOf } from "../workflows/machine/step-kind.ts";
import type { CompositeFault } from "../workflows/machine/workflow-rows.ts";
import type { PlanWords } from "./plan-words.ts";

/** What plans are made of. */
export type RenderedForPlan = {
  readonly value: Json;
  /** For people; the very same where nothing of it is sensitive. */
  readonly twin: Json;
  readonly isMasked: boolean;
  /** Sensitive texts that templates made. */
  readonly made: readonly string[];
};

/** What a config has for a plan, rendered with all that is known of an install; or why it cannot be, by file and member. */
export function renderForPlan(
  given: Json,
  facts: StateFacts,
  place: RenderPlace,
  { work, words }: { readonly work: RenderWork; readonly words: PlanWords },
): RenderedForPlan | CompositeFault {
  const sensitive = byRoots(sensitiveOf(facts, work), facts);
  if (work.isSpent) return faultOf("render_failed", "It is too large", words.tooLarge);
  const rendered = renderValue(given, byRoots(stateOf(facts), facts), place, { work, sensitive });
  if (rendered.faults !== undefined) return renderFault(rendered.faults, words);
  const { value, masked } = rendered;
  return {
    value,
    twin: masked === undefined ? value : masked.twin,
    isMasked: masked !== undefined,
    made: masked?.secrets ?? [],
  };
}

type RenderFaults = NonNullable<ReturnType<typeof renderValue>["faults"]>;

/** No fault of a template has a sensitive value in its words. */
function renderFault(faults: RenderFaults, { config }: PlanWords): CompositeFault {
  const lines = faults.map(
    ({ file, member, detail }) => `${file}, ${member.replace(/^\./, "")}: ${detail}`,
  );
  const isMissing = faults.every(({ code }) => code === "missing_value");
  return faultOf(
    isMissing ? "missing_value" : "render_failed",
    isMissing ? "A value is missing" : `The ${config} could not be rendered`,
    lines.join("\n"),
  );
}

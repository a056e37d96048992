import { canonicalJson, checksumOf } from "../../shared/app-config/canonical-json.ts";
import type { RenderWork } from "../../shared/app-config/templates/render-work.ts";
import { shownStateOf, stateOf } from "./install-state.ts";
import type { StateBase } from "./state-base.ts";
import type { StateValues } from "./stored-values.ts";

type Given = { readonly facts: StateBase };

/** A state as it is recorded: equal ones are equal texts. */
export function renderState(
  { facts }: Given,
  values: StateValues,
): { readonly text: string; readonly checksum: string } {
  const text = canonicalJson(stateOf({ ...facts, ...values, outputs: values.outputs.withWords() }));
  return { text, checksum: checksumOf(text) };
}

/** A state as people are shown it, as JSON. */
export function renderShownState(
  { facts }: Given,
  values: StateValues,
  work: RenderWork,
): { readonly text: string } {
  const outputs = values.outputs.withWords();
  return { text: JSON.stringify(shownStateOf({ ...facts, ...values, outputs }, work)) };
}

import { canonicalJson, checksumOf } from "../../shared/app-config/canonical-json.ts";
import type { RenderWork } from "../../shared/app-config/templates/render-work.ts";
import { shownStateOf, stateOf } from "./install-state.ts";
import type { StateBase } from "./state-base.ts";
import type { StateValues } from "./state-values.ts";

type Given = { readonly facts: StateBase };

const mostRecordedLetters = 4 * 2 ** 20;

/**
 * A state as it is recorded: equal ones are equal texts. Of one that is very long nothing but its checksum is recorded, which is that
 * of all of it.
 */
export function renderState(
  { facts }: Given,
  values: StateValues,
): { readonly text: string; readonly checksum: string } {
  const text = canonicalJson(stateOf({ ...facts, ...values, outputs: values.outputs.withWords() }));
  const checksum = checksumOf(text);
  if (text.length <= mostRecordedLetters) return { text, checksum };
  return { text: canonicalJson({ id: facts.install.id, is_too_long: true, checksum }), checksum };
}

/** A state as people are shown it, as JSON; a long one comes as bytes. */
export function renderShownState(
  { facts }: Given,
  values: StateValues,
  work: RenderWork,
): { readonly text: string | Uint8Array } {
  const outputs = values.outputs.withWords();
  return { text: JSON.stringify(shownStateOf({ ...facts, ...values, outputs }, work)) };
}

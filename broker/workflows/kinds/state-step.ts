import { canonicalJson } from "../../../shared/app-config/canonical-json.ts";
import { labelOrder } from "../../installs/label-templates.ts";
import { stateBase } from "../../installs/state-base.ts";
import type { InstallChange } from "../machine/install-change.ts";
import type { StepKind } from "../machine/step-kind.ts";
import type { KindEnvironment } from "./kind-environment.ts";

/** Records what is known of the install, as another version where anything has changed, and what its templates of labels give of it; nothing where nothing is to be changed. */
export const stateStep = (env: KindEnvironment): StepKind => ({
  begin(draft, step) {
    const { facts, rendered, seals } = env;
    step.target_id = facts.stateId ?? "";
    if (draft.workflow.plan_only) return { kind: "done" };
    const done = { kind: "done", ...takeLabels(env, draft.install) } as const;
    const order = { given: { facts: stateBase(facts) }, values: facts.values };
    const { text, checksum } = rendered(facts.install.id, "state", order);
    if (checksum === facts.stateChecksum) return done;
    const id = draft.newId("ist");
    step.target_id = id;
    const { keyId, bytes } = seals.seal(
      { orgId: facts.org.id, id, part: "install-state" },
      Buffer.from(text),
    );
    draft.install.state = { id, key_id: keyId, base64: bytes.toString("base64"), checksum };
    return done;
  },
  look: () => ({ kind: "done" }),
});

/** Changes the labels that come of templates, where they give others now. Where all of them take too much they stay as they are, and the step says so. */
function takeLabels(
  { facts, rendered }: KindEnvironment,
  change: InstallChange,
): { readonly warning?: string } {
  const { id, label_templates: labelTemplates, labels: before } = facts.install;
  if (Object.keys(labelTemplates).length === 0) return {};
  const made = rendered(id, "labels", {
    given: labelOrder(facts, labelTemplates),
    values: facts.values,
  });
  if (made.labels === undefined)
    return {
      warning: `The labels were not changed: all label templates together take too much, reached at ${made.spentAt}: ${made.why}.`,
    };
  const { labels } = made;
  const former = Object.entries(before).filter(([key]) => Object.hasOwn(labelTemplates, key));
  if (canonicalJson(Object.fromEntries(former)) !== canonicalJson(labels))
    Object.assign(change, { labels, labelTemplates });
  return {};
}

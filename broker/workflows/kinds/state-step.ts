import { canonicalJson, checksumOf } from "../../../shared/app-config/canonical-json.ts";
import { changedLabels } from "../../installs/label-templates.ts";
import type { StepKind } from "../machine/step-kind.ts";
import type { KindEnvironment } from "./kind-environment.ts";

/** Records what is known of the install, as another version where anything has changed, and what its templates of labels give of it; nothing where nothing is to be changed. */
export const stateStep = ({ facts, state, seals }: KindEnvironment): StepKind => ({
  begin(draft, step) {
    step.target_id = facts.stateId ?? "";
    if (draft.workflow.plan_only) return { kind: "done" };
    const { label_templates: labelTemplates } = facts.install;
    const labels = changedLabels(facts, labelTemplates);
    if (labels !== undefined) Object.assign(draft.install, { labels, labelTemplates });
    const text = canonicalJson(state);
    const checksum = checksumOf(text);
    if (checksum === facts.stateChecksum) return { kind: "done" };
    const id = draft.newId("ist");
    step.target_id = id;
    const { keyId, bytes } = seals.seal(
      { orgId: facts.org.id, id, part: "install-state" },
      Buffer.from(text),
    );
    draft.install.state = { id, key_id: keyId, base64: bytes.toString("base64"), checksum };
    return { kind: "done" };
  },
  look: () => ({ kind: "done" }),
});

import { isMap, type Json } from "../../../shared/app-config/templates/json-value.ts";
import type { RenderWork } from "../../../shared/app-config/templates/render-work.ts";
import { hiddenValue } from "../../../shared/hidden-value.ts";
import { checkPlan } from "../../../shared/plans/check-plan.ts";
import { mostPlanBytes } from "../../actions/action-plan.ts";
import type { StateBase } from "../../installs/state-base.ts";
import type { StateValues } from "../../installs/state-values.ts";
import type { PlanWords } from "../../rendering/plan-words.ts";
import { renderForPlan } from "../../rendering/render-for-plan.ts";
import { mostSecrets, writePlan } from "../../rendering/write-plan.ts";
import { faultOf } from "../../workflows/machine/step-kind.ts";
import type { CompositeFault } from "../../workflows/machine/workflow-rows.ts";
import type { ArtifactPlace } from "../deploy-order.ts";
import type { Members } from "./deploy-kind.ts";
import { type InstallRegistry, readInstallRegistry, registryOutputs } from "./install-registry.ts";
import { registryOf } from "./plan-deploy.ts";

/** An image that is taken into an install, as JSON. */
export type ImageCopyOrder = {
  readonly facts: StateBase;
  readonly name: string;
  readonly componentId: string;
  /** Where it is. */
  readonly from: ArtifactPlace;
};

/** The plan of the job that copies it, and where it is afterwards. */
export type ImageCopyTexts = {
  readonly text: string;
  readonly shown: string;
  readonly to: Pick<ArtifactPlace, "server" | "repository">;
};

/**
 * How an image comes into the registry that the install's sandbox has made; null where it has made none. One of the server where the image was
 * built is none: an output would say there whose repositories are read and written.
 */
export function planImageCopy(
  { facts: base, name, componentId, from }: ImageCopyOrder,
  values: StateValues,
  work: RenderWork,
): ImageCopyTexts | CompositeFault | null {
  const facts = { ...base, ...values };
  const place = { file: `components/${name}.toml`, member: "" };
  const given = { registry: registryOutputs };
  const rendered = renderForPlan(given, facts, place, { work, words });
  if ("code" in rendered) return rendered;
  const to = readInstallRegistry(memberOf(rendered.value), componentId);
  if (to === undefined || to.loginServer === from.server) return null;
  const { install } = base;
  const planOf = (registry: InstallRegistry): Members => ({
    src_registry: registryOf(from), // first: its login is put there
    src_tag: from.tag,
    src_digest: from.digest,
    dst_registry: registry,
    dst_tag: from.tag,
    ...(install.sandbox_mode === true && { sandbox_mode: { enabled: true } }),
  });
  const plan = planOf(to);
  const [wrong] = checkPlan("oci-sync", plan);
  if (wrong !== undefined)
    throw new Error(`a plan of oci-sync: ${wrong.path.join(".")} ${wrong.message}`);
  const twin = {
    ...planOf(readInstallRegistry(memberOf(rendered.twin), componentId) ?? to),
    ...(rendered.isMasked && { secrets: [hiddenValue] }),
  };
  const bounds = { work, words, mostBytes: mostPlanBytes, tooLong };
  const written = writePlan({ plan, twin, made: rendered.made }, facts, bounds);
  if ("code" in written) return written;
  return { ...written, to: { server: to.loginServer, repository: to.repository } };
}

const memberOf = (rendered: Json): Json | undefined =>
  isMap(rendered) ? rendered["registry"] : undefined;

const words: PlanWords = {
  config: "outputs of the sandbox",
  tooLarge: "The plan of the copy is too large for all that is sensitive to be looked for in it.",
  tooMuch: `Sensitive values in the plan of the copy expand to more than logs can hide: ${mostSecrets} texts, 1 MiB together.`,
};
const tooLong = (): CompositeFault =>
  faultOf(
    "render_failed",
    "Its plan is too long",
    `Its plan is longer than ${mostPlanBytes} bytes. Let the sandbox have shorter outputs of its registry.`,
  );

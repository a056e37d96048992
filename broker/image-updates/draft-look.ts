import { secondNs } from "../../shared/duration.ts";
import { type BuildSecret, openBuildSecret } from "../builds/build-secrets.ts";
import { imageSourceOf, withClientSecret } from "../builds/image-source-of.ts";
import { renderBuild } from "../builds/render-build.ts";
import { newId } from "../database/new-id.ts";
import { draftJob, type JobDraft } from "../jobs/draft-job.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";
import { StagedUploads } from "../seals/staged-uploads.ts";
import type { FollowedImage } from "./followed-images.ts";
import type { FollowingApp } from "./queries.ts";

const minuteNs = 60 * secondNs;
/** Together less than the time between two looks. */
const clocks = {
  queueTimeout: 5 * minuteNs,
  availableTimeout: 2 * minuteNs,
  executionTimeout: 3 * minuteNs,
  overallTimeout: 10 * minuteNs,
} as const;

type Look = {
  readonly following: FollowingApp;
  readonly configId: string;
  readonly image: FollowedImage;
  readonly componentId: string;
  readonly runnerId: string;
  /** Which of those that are enqueued together. */
  readonly request: number;
  /** With which the config was read. */
  readonly brands: readonly string[];
  /** The app's secrets that its config names. */
  readonly secrets: readonly BuildSecret[];
};

/** The job that asks a registry which digest the policy of a component means now, or why there is none. */
export function draftLook(
  seals: Seals,
  org: OrgId,
  { following, configId, image, componentId, runnerId, request, brands, secrets }: Look,
): { readonly job: JobDraft } | { readonly detail: string } {
  const { component } = image;
  const source = imageSourceOf(component);
  if ("code" in source) return { detail: String(source["detail"]) };
  const place = { file: `components/${component.name}`, words: `The component ${component.name}` };
  const rendered = renderBuild({ ...following, brands }, place, { own: source, source: null });
  if ("code" in rendered) return { detail: rendered.detail };
  const { own } = rendered.value as { own: typeof source };
  const named = component.azure_acr?.client_secret_name;
  const known = { org, app: following.app.id, secrets };
  const secret = named === undefined ? undefined : openBuildSecret(seals, known, named);
  if (named !== undefined && secret === undefined)
    return { detail: `the app has no secret ${named}, which signs in: svc app secret set` };
  const signed = secret === undefined ? own : withClientSecret(own, secret);
  const { repo_config: registry, update_policy } = signed;
  const plan = { registry, update_policy, digest_only: true };
  const job = draftJob(
    { orgId: org, actorId: "", runnerId },
    {
      type: "fetch-image-metadata",
      operation: "exec",
      ownerId: componentId,
      ownerType: "components",
      metadata: {
        app_id: following.app.id,
        app_config_id: configId,
        component_id: componentId,
        component_name: component.name,
      },
      plan: JSON.stringify(plan),
      planNames: [],
      maxExecutions: 1,
      ...clocks,
    },
    { request, id: newId("job"), seals, ahead: new StagedUploads() },
  );
  return { job };
}

import { z } from "zod";
import { storedDocument } from "../app-configs/stored-document.ts";
import { draftBuilds } from "../builds/draft-builds.ts";
import { findJobOutputs } from "../builds/job-outputs.ts";
import type { Db } from "../database/connect.ts";
import { newId } from "../database/new-id.ts";
import { listPartConfigs } from "../named-parts/list-part-configs.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";
import { followedImages } from "./followed-images.ts";
import { findFollowingApp } from "./queries.ts";

type Parts = { readonly db: Db; readonly seals: Seals };
type Which = { readonly componentId: string; readonly jobId: string };
type EndedLook = {
  readonly app_id: string;
  readonly checksum: string;
  readonly policy: string;
  readonly status: string;
  readonly status_description: string;
  readonly error: string | null;
};
/** What a look has found, or why it found nothing. */
type Told = { readonly tag: string; readonly digest: string } | { readonly detail: string };

const mostDetail = 1000;

const foundImage = z.object({
  digest: z.string().regex(/^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/),
  tag: z.string().min(1).max(255),
  update_policy: z.string(),
});

/**
 * Writes what a look whose job has ended has found, and begins a build of what is new, by the config that is in force then. Nothing where
 * another look has begun, or that config says something else of the component.
 */
export async function settleImageLook(
  parts: Parts,
  org: OrgId,
  { componentId, jobId }: Which,
): Promise<void> {
  const { db } = parts;
  const look = await findEndedLook(db, org, { componentId, jobId });
  if (look === undefined) return;
  const told = await toldBy(parts, org, { look, jobId });
  const drafted =
    "digest" in told ? await draftBuild(db, org, { look, componentId, told }) : undefined;
  const [draft, build] =
    drafted === undefined ? [null, null] : drafted.map((one) => JSON.stringify(one));
  await db`
    select settle_image_look(${org}, ${componentId}, ${jobId}, ${JSON.stringify(told)}::text::jsonb, ${draft ?? null}::text::jsonb,
                             ${build ?? null}::text::jsonb)`;
}

async function findEndedLook(
  db: Db,
  org: OrgId,
  { componentId, jobId }: Which,
): Promise<EndedLook | undefined> {
  const [row] = await db<EndedLook[]>`
    select u.app_id, u.checksum, u.policy, d.status, d.status_description, d.composite_error ->> 'detail' as error
      from image_updates u join runner_job_ends d on d.org_id = u.org_id and d.runner_job_id = u.runner_job_id
     where u.org_id = ${org} and u.component_id = ${componentId} and u.runner_job_id = ${jobId}`;
  return row;
}

async function toldBy(
  parts: Parts,
  org: OrgId,
  { look, jobId }: { readonly look: EndedLook; readonly jobId: string },
): Promise<Told> {
  const { status, status_description: description, error } = look;
  if (status !== "finished") {
    const detail = error || description || `its job ended as ${status}`;
    return { detail: detail.slice(0, mostDetail) };
  }
  const { data } = foundImage.safeParse(await findJobOutputs(parts, org, jobId));
  if (data === undefined) return { detail: toldNothing };
  return { tag: data.tag, digest: data.digest };
}

const toldNothing =
  "the job finished and told no image that the policy means: the runner's agent may be of a version that does not know policies; update it";

type Found = {
  readonly look: EndedLook;
  readonly componentId: string;
  readonly told: { readonly tag: string; readonly digest: string };
};

/** The build of what was found, and its workflow; undefined where the config in force says something else of the component. */
async function draftBuild(db: Db, org: OrgId, { look, componentId, told }: Found) {
  const { config_id: configId } = (await findFollowingApp(db, org, look.app_id)) ?? {};
  if (configId == null) return undefined;
  const config = await storedDocument(db, org, configId);
  const images = followedImages(config?.components);
  if (!images.some(({ checksum }) => checksum === look.checksum)) return undefined;
  const page = { after: undefined, limit: 1, offset: 0 };
  const wanted = { kind: "components", part: componentId, config: configId } as const;
  const parts = await listPartConfigs(db, org, { ...wanted, ...page });
  const { workflow, builds } = draftBuilds(
    { id: "", orgId: org },
    {
      app: look.app_id,
      configId,
      parts,
      how: { gitRef: "", isForced: false, isBySync: true },
      metadata: {
        component_id: componentId,
        component_name: parts[0]?.name ?? "",
        update_policy: look.policy,
        image_tag: told.tag,
        image_digest: told.digest,
      },
      workflowId: newId("wfl"),
      config,
    },
  );
  const [build] = builds;
  return build && [workflow, build];
}

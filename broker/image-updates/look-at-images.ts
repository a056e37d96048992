import { z } from "zod";
import { storedDocument } from "../app-configs/stored-document.ts";
import type { Broker } from "../broker.ts";
import { type BuildSecret, listBuildSecrets } from "../builds/build-secrets.ts";
import type { Db } from "../database/connect.ts";
import type { JobDraft } from "../jobs/draft-job.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { findFixedLogin } from "../registry/find-fixed-login.ts";
import { cancelRow } from "../signals/queries.ts";
import { topics } from "../wake/wakes.ts";
import { draftLook } from "./draft-look.ts";
import { type FollowedImage, followedImages } from "./followed-images.ts";
import { keepImageEmitter } from "./keep-image-emitter.ts";
import {
  findFollowingApp,
  findLookingRunner,
  type FollowingApp,
  type ImageUpdateRow,
  listImageUpdates,
} from "./queries.ts";

type Parts = Pick<Broker, "db" | "seals" | "wakes" | "log" | "config">;
type Tick = {
  readonly status: string;
  readonly is_late: boolean;
  readonly key_id: string | null;
  readonly contents: Buffer;
};
type Look = { readonly component_id: string; readonly checksum: string } & (
  | { readonly job: JobDraft }
  | { readonly detail: string }
);

const templateSchema = z.object({ app_id: z.string() });

/**
 * Has the org's runner look for newer images of an app, for the tick whose turn it is: a job for each component that follows one and is
 * not being looked at. Where that cannot be, the components say why. The tick has ended then.
 */
export async function lookAtImages(parts: Parts, org: OrgId, signalId: string): Promise<void> {
  const tick = await findTick(parts.db, org, signalId);
  if (tick?.status !== "in-flight") return;
  if (tick.is_late) return await giveUp(parts, org, signalId, "nobody could look in time");
  const { app_id: appId } = openTick(parts, org, { signalId, tick });
  const following = await findFollowingApp(parts.db, org, appId);
  if (following === undefined) return await giveUp(parts, org, signalId, "the app is deleted");
  const rows = await listImageUpdates(parts.db, org, appId);
  const { config_id: configId } = following;
  const document = configId === null ? undefined : await storedDocument(parts.db, org, configId);
  const { components, brands = [] } = document ?? {};
  const images = followedImages(components);
  const isKept = images.length > 0 && images.every((image) => rowOf(rows, image) !== undefined);
  if (!isKept) await keepImageEmitter(parts, org, appId); // the tick was before its task
  const found = isKept ? rows : await listImageUpdates(parts.db, org, appId);
  const asked = { app: appId, config: { components: images.map(({ component }) => component) } };
  const secrets = await listBuildSecrets(parts.db, org, asked);
  const looks = await draftLooks(parts, org, { following, images, rows: found, brands, secrets });
  const [begun] = await parts.db<{ outcome: string; is_on_offer: boolean }[]>`
    select * from begin_image_looks(${org}, ${appId}, ${signalId}, ${JSON.stringify(looks)}::text::jsonb)`;
  if (begun?.is_on_offer !== true) return;
  const runners = looks.flatMap((look) => ("job" in look ? [look.job.runner_id] : []));
  parts.wakes.notify([topics.org(org), ...[...new Set(runners)].map((id) => topics.queue(id))]);
}

/** What is kept of a component; undefined where that is by another config of it. */
const rowOf = (rows: readonly ImageUpdateRow[], { checksum }: FollowedImage) =>
  rows.find((row) => row.checksum === checksum);

type Looking = {
  readonly following: FollowingApp;
  readonly images: readonly FollowedImage[];
  readonly rows: readonly ImageUpdateRow[];
  readonly brands: readonly string[];
  readonly secrets: readonly BuildSecret[];
};

async function draftLooks(
  { db, seals, config }: Parts,
  org: OrgId,
  { following, images, rows, brands, secrets }: Looking,
): Promise<Look[]> {
  const due = images.flatMap((image) => {
    const row = rowOf(rows, image);
    return row === undefined || row.is_looking ? [] : [{ image, row }];
  });
  const configId = following.config_id;
  if (due.length === 0 || configId === null) return [];
  const runner = await findLookingRunner(db, org);
  const why = (await whyNoBuild({ db, config }, org)) ?? whyNone(runner);
  return due.map(({ image, row: { component_id, checksum } }, request): Look => {
    const about = { component_id, checksum };
    if (why !== undefined || runner === undefined) return { ...about, detail: why ?? noRunner };
    const look = { following, configId, image, componentId: component_id, brands, secrets };
    return { ...about, ...draftLook(seals, org, { ...look, runnerId: runner.id, request }) };
  });
}

const noLogin =
  "the org has no login with which builds push to the registry: set one by svc registry logins set push";

/** Why nothing that is found could be built. */
async function whyNoBuild(
  { db, config }: Pick<Parts, "config" | "db">,
  org: OrgId,
): Promise<string | undefined> {
  if (config.registry === undefined) return noRegistry;
  if (config.registry.auth !== "fixed") return undefined;
  return (await findFixedLogin(db, org, "push")) === undefined ? noLogin : undefined;
}

/** From which plans on agents know policies: an older one would read all of an image each time. */
const plansOfLooks = 3;
const noRegistry = "this broker has no registry: whoever runs it sets SVC_REGISTRY";
const noRunner =
  "the org has no runner of its own that takes jobs: create a runner group of type org with a runner, and start its agent";

function whyNone(runner: Awaited<ReturnType<typeof findLookingRunner>>): string | undefined {
  if (runner === undefined) return noRunner;
  const { id, builds, looks, reads_plans: reads } = runner;
  if (!builds) return `no process of the org's runner ${id} takes builds: start its agent`;
  if (!looks)
    return `no process of the org's runner ${id} takes jobs of the group sync, which look at images: add it to its agent's groups`;
  if (reads === null || reads >= plansOfLooks) return undefined;
  return `an agent of the org's runner ${id} is of a version that does not know policies: update it by svc runner update-version ${id}`;
}

/** One that could not be acted on in the time between two is given up: the next comes by itself. */
async function findTick(db: Db, org: OrgId, id: string): Promise<Tick | undefined> {
  const [row] = await db<Tick[]>`
    select l.status, l.started_at < svc_now() - interval '15 minutes' as is_late,
           s.key_id, s.contents
      from queue_signal_live l join queue_signals s on s.org_id = l.org_id and s.id = l.id
     where l.org_id = ${org} and l.id = ${id}`;
  return row;
}

function openTick(
  { seals }: Pick<Parts, "seals">,
  org: OrgId,
  { signalId, tick }: { readonly signalId: string; readonly tick: Tick },
): z.output<typeof templateSchema> {
  const named = { orgId: org, id: signalId, part: "signal" };
  const opened = seals.open(named, { keyId: tick.key_id, bytes: tick.contents });
  return templateSchema.parse(JSON.parse(opened.toString()));
}

async function giveUp(
  { db, wakes }: Pick<Parts, "db" | "wakes">,
  org: OrgId,
  signalId: string,
  why: string,
): Promise<void> {
  const rows = await cancelRow(db, org, signalId, why);
  wakes.notify(rows.flatMap(({ wake }) => (wake === null ? [] : [topics.signals(wake)])));
}

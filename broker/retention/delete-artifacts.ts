import type { Config } from "../config.ts";
import type { Db } from "../database/connect.ts";
import type { ArtifactDeletion } from "../registry/artifact-deletion.ts";
import { deleteArtifact } from "../registry/delete-artifact.ts";
import { openRepository } from "../registry/open-repository.ts";
import { makeRegistryCalls, type RegistryCalls } from "../registry/registry-calls.ts";
import type { RegistryConfig } from "../registry/registry-settings.ts";
import type { Seals } from "../seals/seals.ts";
import {
  announceAndJudge,
  digestsOfBuilds,
  endDeletion,
  indexesOfBuilds,
  putOffDeletion,
  type TakenDeletion,
  takeArtifactDeletion,
} from "./artifact-deletions.ts";
import {
  findUnsupported,
  forgetRefusals,
  noteRefused,
  noteUnsupported,
} from "./registry-refusals.ts";

type Parts = {
  readonly db: Db;
  readonly seals: Seals;
  readonly config: Pick<Config, "registry" | "egress">;
  /** How long a request may take; ten seconds unless told. */
  readonly timeoutMs?: number;
};

/** How often each came of what was due. */
export type DeletedArtifacts = Readonly<Partial<Record<ArtifactDeletion["kind"], number>>>;

/** Nobody else takes an artifact for so long; all calls for it end before. */
const leaseSeconds = 120;
const patienceMs = 60_000;
/** A run ends then: other tasks come to their turn. */
const longestRunMs = 120_000;
/** So many artifacts in a row at which the registry did not answer as it should end a run. */
const mostDown = 3;
/** Who may not delete is not asked for ever, but where the registry trusts the broker: there it is a fault that somebody mends. */
const mostTries = 8;
/** What may stand before the registry is mended within a week. */
const mostUnclearTries = 30;
const firstDelaySeconds = 60;
const longestDelaySeconds = 6 * 3600;
/** A registry that deletes nothing is asked again then. */
const unsupportedSeconds = 24 * 3600;

/**
 * Deletes what is due of the registry, an org's artifacts one after the other and orgs in turns, until nothing is due, the registry is down or two
 * minutes are over. Without a registry nothing happens.
 */
export async function deleteArtifacts(
  { db, seals, config: { registry, egress }, ...how }: Parts,
  stopped: AbortSignal,
): Promise<DeletedArtifacts> {
  const total: Partial<Record<ArtifactDeletion["kind"], number>> = {};
  if (registry === undefined) return total;
  const run = { db, seals, registry, calls: makeRegistryCalls(registry, egress), ...how };
  const endMs = performance.now() + longestRunMs;
  let unsupported = await findUnsupported(db, registry.server);
  let after = "";
  let down = 0;
  while (!stopped.aborted && performance.now() < endMs && down < mostDown) {
    const one = await takeArtifactDeletion(db, after, leaseSeconds);
    if (one === undefined && after === "") break;
    after = one?.org_id ?? "";
    if (one === undefined) continue;
    const came = await deleteOne(run, one, { unsupported, stopped });
    await note(run, one, came);
    total[came.kind] = (total[came.kind] ?? 0) + 1;
    down = came.kind === "later" && came.isDown ? down + 1 : 0;
    if (came.kind === "unsupported") unsupported = came.why;
  }
  return total;
}

type Run = {
  readonly db: Db;
  readonly seals: Seals;
  readonly registry: RegistryConfig;
  readonly calls: RegistryCalls;
  readonly timeoutMs?: number;
};
type How = { readonly unsupported: string | undefined; readonly stopped: AbortSignal };

async function deleteOne(
  run: Run,
  one: TakenDeletion,
  { unsupported, stopped }: How,
): Promise<ArtifactDeletion> {
  const { db, registry } = run;
  const [host, ...path] = one.repository.split("/");
  if (host !== registry.server)
    return { kind: "left", why: `It is in the registry ${host}, which is set no more.` };
  if (unsupported !== undefined) return { kind: "unsupported", why: unsupported, isOld: true };
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(patienceMs)]);
  const place = { orgId: one.org_id, repository: path.join("/"), signal };
  return await deleteArtifact(openRepository(run, place), one, {
    mayDelete: (digest) => announceAndJudge(db, one, digest),
    ofBuilds: (digests) => digestsOfBuilds(db, one, digests),
    indexes: (most) => indexesOfBuilds(db, one, most),
  });
}

/** Writes down what came of it. */
async function note({ db, registry }: Run, one: TakenDeletion, came: ArtifactDeletion) {
  switch (came.kind) {
    case "deleted":
      await endDeletion(db, one, { came: "deleted" });
      await forgetRefusals(db, one.org_id, registry.server);
      return;
    case "gone":
    case "kept":
      await endDeletion(db, one, { came: came.kind });
      return;
    case "left":
      await endDeletion(db, one, { came: "left", why: came.why });
      return;
    case "unsupported":
      if (!came.isOld) await noteUnsupported(db, registry.server, came.why);
      if (one.tries >= mostTries) await endDeletion(db, one, { came: "left", why: came.why });
      else await putOffDeletion(db, one, { why: came.why, seconds: unsupportedSeconds });
      return;
    case "later":
      await noteLater(db, one, { registry, came });
      return;
    case "open": // it waits for that build
    case "lost": // another broker has it
      return;
  }
}

type Later = {
  readonly registry: RegistryConfig;
  readonly came: Extract<ArtifactDeletion, { kind: "later" }>;
};

async function noteLater(db: Db, one: TakenDeletion, { registry, came }: Later): Promise<void> {
  const { why, isDown, isRefused, isUnclear } = came;
  const { server } = registry;
  if (isRefused) await noteRefused(db, one.org_id, { server, detail: why });
  const isHopeless = !isDown && !(isRefused && registry.auth === "token");
  if (isHopeless && one.tries >= (isUnclear ? mostUnclearTries : mostTries))
    return await endDeletion(db, one, { came: "left", why });
  const seconds = Math.min(firstDelaySeconds * 2 ** one.tries, longestDelaySeconds);
  await putOffDeletion(db, one, { why, seconds });
}

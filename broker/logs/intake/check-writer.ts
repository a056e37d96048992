import { problem } from "../../../shared/problem.ts";
import { findExecution } from "../../executions/queries.ts";
import { growingCache } from "../../growing-cache.ts";
import type { HotPath } from "../../limits/hot-path.ts";
import type { Actor } from "../../tokens/actor.ts";
import { findLogStream } from "../store/queries.ts";

/** Admits a caller that may write to the stream; 404 otherwise, whether or not it exists. */
export type CheckWriter = (actor: Actor, streamId: string) => Promise<void>;

type Owner = { readonly runnerId: string | null; readonly ownerId: string };

const mostRemembered = 10_000;

/**
 * A runner's token writes to the streams of its runner, a job's token to that of its execution's job, others to any of
 * their org. A stream's owner never changes, so it is cached.
 */
export function makeCheckWriter(hotPath: HotPath): CheckWriter {
  const owners = growingCache<string, Owner>(mostRemembered);
  const jobs = growingCache<string, string>(mostRemembered);

  return async (actor, streamId) => {
    const { runnerId, executionId } = actor;
    const owner = await ownerOf(actor, streamId);
    if (owner === undefined) throw problem.notFound("log stream");
    if (runnerId !== null && owner.runnerId !== runnerId) throw problem.notFound("log stream");
    if (executionId === null) return;
    if (owner.ownerId !== (await jobOf(actor, executionId))) throw problem.notFound("log stream");
  };

  async function ownerOf({ orgId }: Actor, streamId: string): Promise<Owner | undefined> {
    const key = `${orgId} ${streamId}`;
    const known = owners.get(key);
    if (known !== undefined) return known;
    const stream = await hotPath.runAlone(orgId, (db) => findLogStream(db, orgId, streamId));
    if (stream === undefined) return undefined;
    const owner = { runnerId: stream.runner_id, ownerId: stream.owner_id };
    owners.set(key, owner);
    return owner;
  }

  async function jobOf({ orgId }: Actor, executionId: string): Promise<string | undefined> {
    const known = jobs.get(executionId);
    if (known !== undefined) return known;
    const execution = await hotPath.runAlone(orgId, (db) => findExecution(db, orgId, executionId));
    if (execution !== undefined) jobs.set(executionId, execution.runner_job_id);
    return execution?.runner_job_id;
  }
}

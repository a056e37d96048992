import type { SourcePart } from "../../shared/api/get-job-source.ts";
import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { JobRow } from "../jobs/row.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { openPart, openPartsKey } from "../seals/sealed-parts.ts";
import { findPart } from "../workspaces/queries.ts";
import { findSourceOfJob } from "./queries.ts";

/** A part of what a running job builds from; 404 for a job that runs no more, builds from elsewhere, or has no such part. */
export async function readSourcePart(
  { db, seals }: Pick<Broker, "db" | "seals">,
  orgId: OrgId,
  { job, part }: { readonly job: Pick<JobRow, "id" | "status">; readonly part: number },
): Promise<SourcePart> {
  const found = job.status === "in-progress" ? await findSourceOfJob(db, orgId, job.id) : undefined;
  if (found === undefined || part >= found.parts)
    throw problem.notFound("source", "This job has no such source, or does not run.");
  const { id, key_id: keyId, sealed_key: bytes, digest, size_bytes, parts } = found;
  const { key } = openPartsKey(seals, { orgId, id, part: "key" }, { keyId, bytes });
  const body = await findPart(db, orgId, { objectId: id, n: part });
  if (body === undefined) throw problem.notFound("source", "This source was deleted.");
  const contents = (await openPart(key, part, body)).toString("base64");
  return { digest, size_bytes, parts, part, contents };
}

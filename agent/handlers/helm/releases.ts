import { z } from "zod";
import { type HelmCaller, helmFailure, runHelm } from "./run-helm.ts";

const revision = z.looseObject({
  revision: z.int(),
  status: z.string(),
  chart: z.string(),
  app_version: z.string().nullish(),
});
/** One revision of a release. */
export type Revision = z.infer<typeof revision>;

/** The revisions of a release that are kept, oldest first; none where it is not installed. Throws JobFailure. */
export async function listRevisions(
  helm: HelmCaller,
  name: string,
  key: string,
): Promise<Revision[]> {
  const args = ["history", name, "--max", "20", "-o", "json"];
  const answer = await runHelm(helm, { key, args });
  if (answer.isGood) return z.array(revision).parse(JSON.parse(answer.out));
  if (/release: not found/.test(answer.complaint)) return [];
  throw helmFailure(answer, "The release's history cannot be read");
}

/** The newest revision that is deployed; undefined where none is. */
export function deployedIn(revisions: readonly Revision[]): Revision | undefined {
  return revisions.findLast(({ status }) => status === "deployed");
}

/** Whether somebody's helm is at work on the release, or died at it. */
export function pendingIn(revisions: readonly Revision[]): Revision | undefined {
  const last = revisions.at(-1);
  return last?.status.startsWith("pending-") === true ? last : undefined;
}

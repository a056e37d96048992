import type { AskRepository } from "./open-repository.ts";
import {
  answerOf,
  indexTypes,
  later,
  manifestTypes,
  readManifest,
  requireUnknown,
  Stopped,
} from "./registry-answer.ts";

/** Of one repository; each is a request. */
export const mostIndexes = 500;

/** All that these manifests name, and the indexes among what they name. Throws Stopped. */
export async function digestsInIndexes(
  ask: AskRepository,
  indexes: readonly string[],
): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  const seen = new Set(indexes);
  for (const digest of seen) {
    if (seen.size > mostIndexes)
      throw new Stopped({
        kind: "left",
        why: `Builds that stay have more than ${mostIndexes} images of several platforms, which may need it.`,
      });
    const at = `manifests/${digest}`;
    const answer = answerOf(await ask({ method: "GET", at, accept: manifestTypes }), [200, 404]);
    if (answer.status === 404) {
      requireUnknown(answer);
      continue;
    }
    const read = readManifest(answer);
    if (read === undefined) throw later(`The registry answered no manifest for ${digest}.`);
    for (const one of read.manifests ?? []) {
      named.add(one.digest);
      if (indexTypes.includes(one.mediaType ?? "")) seen.add(one.digest);
    }
  }
  return named;
}

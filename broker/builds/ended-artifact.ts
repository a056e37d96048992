import type { z } from "zod";
import type { FormerBuild } from "./build-facts.ts";
import type { BuiltArtifact, builtArtifact } from "./built-artifact.ts";

/** What is known of an artifact once its job has ended. Where nothing was built, the tag and the templates are those of the build before. */
export function endedArtifact(
  before: BuiltArtifact,
  made: z.output<typeof builtArtifact>,
  former: FormerBuild | undefined,
): BuiltArtifact {
  const isKept = (made.unchanged || made.no_op) && former?.digest === made.digest;
  const { references = isKept ? [...former.references] : [], ...rest } = made;
  return {
    ...before,
    ...rest,
    ...(isKept && { tag: former.tag }),
    ...(references.length > 0 && { references }),
  };
}

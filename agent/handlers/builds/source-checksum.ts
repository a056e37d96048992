import { createHash } from "node:crypto";
import type { Packed } from "../../artifacts/pack-request.ts";
import type { BuildRun } from "./build-run.ts";
import type { BuilderName } from "./builder-kinds.ts";
import type { Prepared } from "./builder.ts";

/** Raised when the same source becomes another artifact than before. */
const builderVersions: Readonly<Partial<Record<BuilderName, number>>> = { image: 2 };

/** Which builder it is, with its version. */
export const builderOf = ({ builder }: Pick<BuildRun, "builder">): string =>
  `${builder}/${builderVersions[builder] ?? 1}`;

/**
 * Tells sources apart by all that decides what becomes of them: the files, the members of the plan that a build uses, and
 * the builder. Where the artifact is made of more than the directory, it counts, too.
 */
export function sourceChecksum(
  run: BuildRun,
  prepared: Pick<Prepared, "members" | "sourceChecksum" | "isMade">,
  packed: Packed,
): string {
  const { members, sourceChecksum: looked, isMade } = prepared;
  const what = {
    builder: builderOf(run),
    members,
    files: looked ?? packed.sourceChecksum,
    made: isMade ? packed.checksum : null,
  };
  return `sha256:${createHash("sha256").update(JSON.stringify(what)).digest("hex")}`;
}

import { z } from "zod";

/** What a build of git sources made before by the same plan: where the commit is still that, it is not built again. */
export const previousBuild = z.looseObject({
  digest: z.string(),
  media_type: z.string(),
  size: z.number(),
  source_ref: z.string().min(1),
  source_checksum: z.string(),
  /** Of which version: another one builds again. */
  builder: z.string(),
});

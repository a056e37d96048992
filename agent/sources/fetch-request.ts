import { z } from "zod";
import { registryLogin } from "../registry/registry-login.ts";

/** The request to the child that fetches a source; a file that it reads as the job's user. */
export const fetchRequest = z.object({
  source: z.discriminatedUnion("kind", [
    z.object({
      kind: z.literal("oci"),
      url: z.string(),
      repository: z.string().optional(),
      tag: z.string().optional(),
      digest: z.string().optional(),
      isPlain: z.boolean().optional(),
      login: registryLogin,
    }),
    z.object({ kind: z.literal("archive"), file: z.string() }),
    z.object({ kind: z.literal("path"), path: z.string() }),
  ]),
  folder: z.string(),
  /** The file for the result, as JSON. */
  told: z.string(),
  mostBytes: z.number(),
});
export type FetchRequest = z.infer<typeof fetchRequest>;

/** The child's result: the revision, or why the source is not available. */
export const sourceTold = z.union([
  z.object({ revision: z.string() }),
  z.object({ class: z.string(), words: z.string() }),
]);

import { z } from "zod";

/** The request to the child that reads a Dockerfile and pulls its images; a file that it reads as the job's user. */
export const prepareRequest = z.object({
  /** Where the build works. */
  folder: z.string(),
  /** The folder that is built from, and the Dockerfile's place in it. */
  context: z.string(),
  dockerfile: z.string(),
  target: z.string(),
  buildArgs: z.record(z.string(), z.string()),
  /** Of the registry that gets the image, which may be wherever it is, and without TLS. */
  ownOrigin: z.string(),
  mostBytes: z.number(),
  /** The file for the result, as JSON. */
  told: z.string(),
});
export type PrepareRequest = z.infer<typeof prepareRequest>;

const prepared = z.object({
  /** The images that are needed, as people write them, and their digests. */
  bases: z.array(z.object({ image: z.string(), digest: z.string() })),
});
export type PreparedImage = z.infer<typeof prepared>;

/** The child's result: what is needed is there, or why it is not. */
export const prepareTold = z.union([
  prepared,
  z.object({ class: z.string(), words: z.string(), line: z.number().optional() }),
]);

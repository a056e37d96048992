import { z } from "zod";

/** The request to the child that fetches files of Git LFS; a file that it reads as the job's user. */
export const lfsRequest = z.object({
  /** Where the repository is checked out. */
  folder: z.string(),
  /** The directory that is built, without links: what is not needed for it is not fetched. */
  built: z.string(),
  /** The repository's URL, without credentials. */
  url: z.string(),
  /** Each is for its server alone. */
  logins: z.array(z.object({ origin: z.string(), username: z.string(), password: z.string() })),
  mostBytes: z.number(),
  /** The file for the result, as JSON. */
  told: z.string(),
});
export type LfsRequest = z.infer<typeof lfsRequest>;

/** The child's result: how much it fetched, or why it cannot be had. */
export const lfsTold = z.union([
  z.object({ files: z.int(), bytes: z.number() }),
  z.object({ class: z.string(), words: z.string() }),
]);

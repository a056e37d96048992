import { z } from "zod";

/** The request to the child that builds an image; a file of the agent's, which no job reaches. */
export const buildRequest = z.object({
  folder: z.string(),
  /** The first of 65,536 ids for the build's users, where the agent may give some. */
  firstId: z.number().optional(),
  /** Whether the build is kept apart from the host. */
  isIsolated: z.boolean(),
  hasNetwork: z.boolean(),
  mostBytes: z.number(),
  /** Where layers of former builds of the same are kept, if they are. */
  cache: z
    .object({
      folder: z.string(),
      key: z.string().regex(/^[0-9a-f]{64}$/),
      mostBytes: z.number(),
      /** Whether this build begins with them. */
      isRead: z.boolean(),
    })
    .optional(),
  /** What the disk keeps free. */
  leastFree: z.number(),
  /** The job's, by this host's clock. */
  deadlineAtMs: z.number(),
  mostProcesses: z.number(),
  target: z.string(),
  buildArgs: z.record(z.string(), z.string()),
  /** By their ids. */
  secrets: z.record(z.string(), z.string()),
  /** The file for the result, as JSON. */
  told: z.string(),
});
export type BuildRequest = z.infer<typeof buildRequest>;

/** The child's result: there is an image, or why there is none. */
export const buildTold = z.object({ class: z.string().optional(), words: z.string() });
export type BuildTold = z.infer<typeof buildTold>;

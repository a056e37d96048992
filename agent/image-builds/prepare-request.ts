import { z } from "zod";
import { registryLogin } from "../registry/registry-login.ts";

/** The request to the child that reads a Dockerfile and pulls its images; a file that it reads as the job's user. */
export const prepareRequest = z.object({
  /** Where the build works. */
  folder: z.string(),
  /** The folder that is built from, and the Dockerfile's place in it. */
  context: z.string(),
  dockerfile: z.string(),
  target: z.string(),
  buildArgs: z.record(z.string(), z.string()),
  /** The ids of the secrets that it may mount. */
  secrets: z.array(z.string()),
  /** Of the registry that gets the image, which may be wherever it is, and without TLS. */
  ownOrigin: z.string(),
  /**
   * What repositories begin with, host first, for which there is a login. Images that are there are pulled as soon as
   * `logins` has theirs; until then they are only told of.
   */
  privates: z.array(z.string()),
  logins: z.array(z.object({ origin: z.string(), repository: z.string(), login: registryLogin })),
  mostBytes: z.number(),
  /** The file for the result, as JSON. */
  told: z.string(),
});
export type PrepareRequest = z.infer<typeof prepareRequest>;

const privateRepository = z.object({ origin: z.string(), repository: z.string() });
/** A repository that is pulled from with a login. */
export type PrivateRepository = z.infer<typeof privateRepository>;

const prepared = z.object({
  /** The images that are needed, as people write them, and their digests. */
  bases: z.array(z.object({ image: z.string(), digest: z.string() })),
  /** Whether it mounts what its layers do not tell of: they are not to be used again. */
  hasOtherMounts: z.boolean().default(true),
});
export type PreparedImage = z.infer<typeof prepared>;

/** The child's result: what is needed is there, which logins it takes to have it, or why it is not there. */
export const prepareTold = z.union([
  prepared,
  z.object({ needs: z.array(privateRepository) }),
  z.object({ class: z.string(), words: z.string(), line: z.number().optional() }),
]);

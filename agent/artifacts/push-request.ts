import { z } from "zod";
import { registryLogin } from "../registry/registry-login.ts";
import { provenance } from "./provenance.ts";

const annotations = z.record(z.string(), z.string());

/** The request to the child that pushes an artifact; a file that it reads as the job's user. */
export const pushRequest = z.object({
  registry: z.object({ origin: z.string(), repository: z.string() }),
  login: registryLogin,
  tag: z.string(),
  /** What is pushed: an artifact of one archive, or the image of an OCI layout in a folder. */
  layout: z.string().optional(),
  artifact: z
    .object({
      artifactType: z.string(),
      config: z.object({ mediaType: z.string(), text: z.string() }),
      layer: z.object({
        file: z.string(),
        mediaType: z.string(),
        digest: z.string(),
        size: z.number(),
        annotations,
      }),
      annotations,
    })
    .optional(),
  provenance,
  /** The file for the result, as JSON. */
  told: z.string(),
});
export type PushRequest = z.infer<typeof pushRequest>;

const pushed = z.object({
  digest: z.string(),
  mediaType: z.string(),
  size: z.number(),
  /** Of what the manifest names. */
  bytes: z.number().default(0),
  /** The digest of the manifest of its provenance. */
  provenance: z.string(),
});
export type Pushed = z.infer<typeof pushed>;

/** The child's result: what was pushed, or why it was not. */
export const pushTold = z.union([pushed, z.object({ class: z.string(), words: z.string() })]);

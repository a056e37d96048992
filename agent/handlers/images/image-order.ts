import { z } from "zod";
import { registryLogin } from "../../registry/registry-login.ts";

const place = z.object({
  origin: z.string(),
  repository: z.string(),
  tag: z.string().optional(),
  digest: z.string().optional(),
  login: registryLogin,
});
export type ImagePlace = z.infer<typeof place>;

/** What the child of an image's job does; a file that it reads as the job's user. */
export const imageOrder = z.object({
  does: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("copy"), tag: z.string() }),
    z.object({
      kind: z.literal("pull"),
      tag: z.string(),
      policy: z.string().optional(),
      previous: z.string().optional(),
    }),
    z.object({
      kind: z.literal("metadata"),
      withIndex: z.boolean(),
      withManifests: z.boolean(),
      withLayers: z.boolean(),
      policy: z.string().optional(),
      /** Nothing else is asked; in place of all that metadata is. */
      digestOnly: z.boolean().default(false),
    }),
  ]),
  from: place,
  to: place.optional(),
  /** The file for the result, as JSON. */
  told: z.string(),
});
export type ImageOrder = z.infer<typeof imageOrder>;

/** What the child tells: the outputs and a sentence, or why it could not. */
export const imageTold = z.union([
  z.object({ outputs: z.record(z.string(), z.unknown()), words: z.string() }),
  z.object({ class: z.string(), words: z.string() }),
]);
export type ImageTold = z.infer<typeof imageTold>;

import { z } from "zod";

const digest = z.string().regex(/^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/);
const text = z.string().max(2048).catch("").default("");

/** What a build's job tells of what it made: outputs of that job. Other outputs are left out. */
export const builtArtifact = z.object({
  digest,
  media_type: text,
  size: z.int().nonnegative().catch(0).default(0),
  source_checksum: text,
  builder: text,
  source_ref: text,
  source_image: text,
  source_digest: text,
  source_media_type: text,
  resolved_tag: text,
  resolved_at: text,
  /** Nothing was pushed, of sources (`unchanged`) and of images (`no_op`): it has the tag of the build before. */
  unchanged: z.boolean().catch(false).default(false),
  no_op: z.boolean().catch(false).default(false),
  /** The paths below `.svc` that its templates read; absent where nothing was built. */
  references: z.array(z.string().max(400)).max(2_000).optional().catch(undefined),
});

/** What is known of an artifact; nothing before the build has ended. */
export type BuiltArtifact = Partial<z.output<typeof builtArtifact>> & {
  readonly repository?: string;
  readonly tag?: string;
  readonly plan_checksum?: string;
};

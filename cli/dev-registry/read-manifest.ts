import { z } from "zod";
import { type Digest, digestIn } from "./digest.ts";
import { RegistryError } from "./registry-error.ts";

/** What a registry has to know of a manifest. */
export type ReadManifest = {
  readonly subject: Digest | undefined;
  /** The blobs that it needs in its repository. */
  readonly blobs: readonly Digest[];
  /** What lists of referrers say of it. */
  readonly descriptor: {
    readonly mediaType: string;
    readonly artifactType?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
};

const digest = z.string().transform((text, context) => {
  const read = digestIn(text);
  if (read === undefined) context.addIssue({ code: "custom", message: "is no digest" });
  return read as Digest; // else the text is refused
});
const part = z.looseObject({
  mediaType: z.string(),
  digest,
  size: z.int().nonnegative(),
  urls: z.array(z.string()).optional(),
});
const manifest = z.looseObject({
  schemaVersion: z.literal(2),
  mediaType: z.string().optional(),
  artifactType: z.string().optional(),
  config: part.optional(),
  layers: z.array(part).max(4096).optional(),
  manifests: z.array(part).max(4096).optional(),
  subject: part.optional(),
  annotations: z.record(z.string(), z.string()).optional(),
});

/** Reads a manifest; refuses what is none, or is another type than its sender says. */
export function readManifest(bytes: Buffer, mediaType: string): ReadManifest {
  const { config, layers = [], subject, ...read } = parse(bytes);
  if (read.mediaType !== undefined && read.mediaType !== mediaType)
    throw invalid(`it says mediaType ${read.mediaType}, its Content-Type ${mediaType}`);
  const { annotations } = read;
  const artifactType = read.artifactType || config?.mediaType;
  return {
    subject: subject?.digest,
    blobs: [...(config ? [config] : []), ...layers.filter(isKept)].map((one) => one.digest),
    descriptor: {
      mediaType,
      ...(artifactType !== undefined && { artifactType }),
      ...(annotations !== undefined && { annotations }),
    },
  };
}

type Part = z.infer<typeof part>;

/** Layers that must not be distributed lie elsewhere. */
const isKept = ({ mediaType, urls = [] }: Part): boolean =>
  urls.length === 0 && !/nondistributable|\.foreign\./.test(mediaType);

function parse(bytes: Buffer): z.infer<typeof manifest> {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    throw invalid("it is no JSON");
  }
  const parsed = manifest.safeParse(value);
  if (parsed.success) return parsed.data;
  const [first] = parsed.error.issues;
  throw invalid(`${first?.path.join(".") ?? ""}: ${first?.message ?? ""}`);
}

const invalid = (why: string): RegistryError =>
  new RegistryError("MANIFEST_INVALID", `This is no manifest that can be stored: ${why}.`);

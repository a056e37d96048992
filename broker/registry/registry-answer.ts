import { z } from "zod";
import type { CallResult } from "../egress/call-out.ts";
import type { ArtifactDeletion } from "./artifact-deletion.ts";

/** Thrown where nothing more of an artifact can be done now. */
export class Stopped extends Error {
  override readonly name = "Stopped";
  readonly deletion: ArtifactDeletion;

  constructor(deletion: ArtifactDeletion) {
    super(deletion.kind);
    this.deletion = deletion;
  }
}

export type Answered = Extract<CallResult, { kind: "answered" }>;

/** An answer of one of these statuses; else throws Stopped. */
export function answerOf(result: CallResult, statuses: readonly number[]): Answered {
  if (result.kind === "failed") throw later(result.detail, { isDown: true });
  const { status } = result;
  if (statuses.includes(status)) return result;
  const isRefused = status === 401 || status === 403;
  const isDown = status >= 500 || status === 429;
  throw later(`The registry answered ${status}.`, { isDown, isRefused });
}

/** That it is to be tried again later. */
export const later = (
  why: string,
  { isDown = false, isRefused = false, isUnclear = false } = {},
): Stopped => new Stopped({ kind: "later", why, isDown, isRefused, isUnclear });

/** Throws Stopped where it is no registry that says 404: something before it does, too, for what is there. */
export function requireUnknown({ body }: Answered): void {
  if (!codesIn(body).some((code) => code.endsWith("_UNKNOWN") || code === "NOT_FOUND"))
    throw later("It was answered 404, but not as a registry does.", { isUnclear: true });
}

const errors = z.object({ errors: z.array(z.object({ code: z.string() })) });

/** The codes of a registry's errors. */
export function codesIn(body: string): readonly string[] {
  try {
    return errors.parse(JSON.parse(body)).errors.map(({ code }) => code);
  } catch {
    return [];
  }
}

export const digestPattern = /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/;

const manifest = z.object({
  subject: z.object({ digest: z.string() }).nullish(),
  manifests: z
    .array(z.object({ digest: z.string().regex(digestPattern), mediaType: z.string().nullish() }))
    .nullish(),
});

/** What a manifest says of others; undefined where it is none. */
export function readManifest({ body, isWhole }: Answered): z.infer<typeof manifest> | undefined {
  try {
    return isWhole ? manifest.safeParse(JSON.parse(body)).data : undefined;
  } catch {
    return undefined;
  }
}

export const indexType = "application/vnd.oci.image.index.v1+json";
const listType = "application/vnd.docker.distribution.manifest.list.v2+json";
export const indexTypes: readonly string[] = [indexType, listType];
export const manifestTypes = [
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
  ...indexTypes,
].join(", ");

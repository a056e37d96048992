import { RegistryError } from "./registry-error.ts";

/** What a path of the registry's API names. */
export type Route =
  | { readonly kind: "ping" }
  | { readonly kind: "uploads" | "tags"; readonly repository: string }
  | { readonly kind: "upload"; readonly repository: string; readonly id: string }
  | {
      readonly kind: "blob" | "manifest" | "referrers";
      readonly repository: string;
      readonly reference: string;
    };

const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const paths = {
  uploads: /^\/v2\/(.+)\/blobs\/uploads\/?$/,
  upload: new RegExp(`^/v2/(.+)/blobs/uploads/(${uuid})$`),
  blob: /^\/v2\/(.+)\/blobs\/([^/]+)$/,
  manifest: /^\/v2\/(.+)\/manifests\/([^/]+)$/,
  tags: /^\/v2\/(.+)\/tags\/list$/,
  referrers: /^\/v2\/(.+)\/referrers\/([^/]+)$/,
} as const;

const part = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
/** The names that repositories may have. */
export const repositoryName = new RegExp(`^${part}(?:/${part})*$`);
const longestName = 255;

/** Reads a path; undefined where the API has none such, refused where the repository's name can be none. */
export function readRoute(path: string): Route | undefined {
  if (/^\/v2\/?$/.test(path)) return { kind: "ping" };
  for (const kind of ["uploads", "upload", "blob", "manifest", "tags", "referrers"] as const) {
    const [, repository, rest] = paths[kind].exec(path) ?? [];
    if (repository === undefined) continue;
    requireName(repository);
    if (kind === "uploads" || kind === "tags") return { kind, repository };
    if (kind === "upload") return { kind, repository, id: rest ?? "" };
    return { kind, repository, reference: decoded(rest ?? "") };
  }
  return undefined;
}

function requireName(repository: string): void {
  if (repository.length <= longestName && repositoryName.test(repository)) return;
  throw new RegistryError(
    "NAME_INVALID",
    "A repository's name has small letters and digits, with dots, underlines, hyphens and slashes between them, and 255 characters at most.",
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // no digest and no tag
  }
}

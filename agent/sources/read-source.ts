import { z } from "zod";
import { firstFault } from "../../shared/issue-words.ts";
import { gitSource } from "../../shared/plans/plan-members.ts";
import { invalidPlan } from "../jobs/job-failure.ts";
import { readGitSource } from "./git-source.ts";
import type { OciSource, Source } from "./source.ts";

const text = z.string().nullish();
const login = z.looseObject({ username: text, password: text, token: text }).nullish();
const artifact = z
  .looseObject({
    url: text,
    registry: text,
    repository: text,
    tag: text,
    digest: text,
    path: text,
    plain_http: z.boolean().nullish(),
    username: text,
    password: text,
    token: text,
    auth: login,
    oci_auth: login,
  })
  .nullish();
type Artifact = NonNullable<z.infer<typeof artifact>>;
const archive = z
  .union([z.string(), z.looseObject({ contents: text, archive: text, path: text })])
  .nullish();

const members = z.looseObject({
  source: z
    .looseObject({ git: gitSource, oci: z.union([z.string(), artifact]), archive, path: text })
    .nullish(),
  git_source: gitSource,
  local_archive: archive,
  oci_artifact: z.union([z.string(), artifact]),
  src_registry: z.union([z.string(), artifact]),
  src_tag: text,
  src_digest: text,
});

/**
 * Reads the source of a plan, or of a part of it: the first one given of `source`, `git_source`, `local_archive`,
 * `oci_artifact` and `src_registry`. Throws JobFailure when a member is wrong; `whose` ends its name.
 */
export function readSource(plan: object, whose = ""): Source | undefined {
  const { data, error } = members.safeParse(plan);
  if (data === undefined) {
    throw invalidPlan(firstFault(error, { whose }));
  }
  const { source, src_registry, src_tag, src_digest } = data;
  return (
    fromGit(source?.git, (member) => `source.git.${member}${whose}`) ??
    fromArtifact(source?.oci) ??
    fromArchive(source?.archive) ??
    (source?.path ? { kind: "path", path: source.path, directory: "" } : undefined) ??
    fromGit(data.git_source, (member) => `git_source.${member}${whose}`) ??
    fromArchive(data.local_archive) ??
    fromArtifact(data.oci_artifact) ??
    fromArtifact(src_registry, { tag: src_tag, digest: src_digest })
  );
}

type Given = z.infer<typeof gitSource>;

function fromGit(given: Given, named: (member: string) => string): Source | undefined {
  const git = readGitSource(given, named);
  return git && { kind: "git", git, directory: given?.path ?? "" };
}

function fromArchive(given: z.infer<typeof archive>): Source | undefined {
  if (given == null || given === "") return undefined;
  if (typeof given === "string") return { kind: "archive", contents: given, directory: "" };
  const contents = given.contents || given.archive;
  return contents ? { kind: "archive", contents, directory: given.path ?? "" } : undefined;
}

type Besides = {
  readonly tag?: string | null | undefined;
  readonly digest?: string | null | undefined;
};

function fromArtifact(
  given: string | Artifact | null | undefined,
  more: Besides = {},
): Source | undefined {
  const place = typeof given === "string" ? { url: given } : given;
  const url = place?.url || place?.registry || "";
  if (place == null || (url === "" && !place.repository)) return undefined;
  const tag = place.tag || more.tag;
  const digest = place.digest || more.digest;
  const { repository, auth, oci_auth, username, password, token, plain_http, path } = place;
  const oci: OciSource = {
    url: url || (repository ?? ""),
    ...(url !== "" && repository && !isWithin(url, repository) && { repository }),
    ...(tag && { tag }),
    ...(digest && { digest }),
    isPlain: plain_http ?? false,
    login: auth ?? oci_auth ?? { username, password, token },
  };
  return { kind: "oci", oci, directory: path ?? "" };
}

/** Some plans repeat the registry in the repository, or the repository in the registry. */
const isWithin = (url: string, repository: string): boolean => url.endsWith(`/${repository}`);

import { z } from "zod";
import { firstFault } from "../../shared/issue-words.ts";
import { gitSource } from "../../shared/plans/plan-members.ts";
import { registry } from "../../shared/plans/registry-member.ts";
import { invalidPlan } from "../jobs/job-failure.ts";
import { type RegistryPlace, readRegistryPlace } from "../registry/registry-place.ts";
import { readGitSource } from "./git-source.ts";
import type { Source } from "./source.ts";

const text = z.string().nullish();
const archive = z
  .union([
    z.string(),
    z.looseObject({ contents: text, archive: text, local_archive: text, blob: text, path: text }),
  ])
  .nullish();

const members = z.looseObject({
  source: z.looseObject({ git: gitSource, oci: registry, archive, path: text }).nullish(),
  git_source: gitSource,
  local_archive: archive,
  oci_artifact: registry,
  oci_source: z.looseObject({ registry, tag: text, digest: text }).nullish(),
  src_registry: registry,
  src_tag: text,
  src_digest: text,
});

/**
 * Reads the source of a plan, or of a part of it: the first one given of `source`, `git_source`, `local_archive`,
 * `oci_artifact`, `oci_source` and `src_registry`. Throws JobFailure when a member is wrong; `whose` ends its name.
 */
export function readSource(plan: object, whose = ""): Source | undefined {
  const { data, error } = members.safeParse(plan);
  if (data === undefined) {
    throw invalidPlan(firstFault(error, { whose }));
  }
  const { source, oci_artifact, oci_source, src_registry, src_tag, src_digest } = data;
  const artifactOf = (
    given: z.infer<typeof registry>,
    name: string,
    besides: Parameters<typeof readRegistryPlace>[2] = {},
  ): Source | undefined =>
    fromRegistry(readRegistryPlace(given, `${name}${whose}`, besides), folderIn(given));
  return (
    fromGit(source?.git, (member) => `source.git.${member}${whose}`) ??
    artifactOf(source?.oci, "source.oci") ??
    fromArchive(source?.archive) ??
    (source?.path ? { kind: "path", path: source.path, directory: "" } : undefined) ??
    fromGit(data.git_source, (member) => `git_source.${member}${whose}`) ??
    fromArchive(data.local_archive) ??
    artifactOf(oci_artifact, "oci_artifact") ??
    artifactOf(oci_source?.registry, "oci_source.registry", oci_source ?? {}) ??
    artifactOf(src_registry, "src_registry", { tag: src_tag, digest: src_digest })
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
  const { local_archive: local, blob } = given;
  if (blob) return { kind: "blob", digest: blob, directory: given.path ?? "" };
  if (local?.startsWith("/")) return { kind: "path", path: local, directory: given.path ?? "" };
  const contents = given.contents || given.archive || local;
  return contents ? { kind: "archive", contents, directory: given.path ?? "" } : undefined;
}

function fromRegistry(place: RegistryPlace | undefined, directory = ""): Source | undefined {
  return place && { kind: "oci", oci: place, directory };
}

const folderIn = (given: z.infer<typeof registry>): string =>
  typeof given === "object" ? (given?.path ?? "") : "";

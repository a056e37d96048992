import type { ComponentBuild } from "../../shared/api/builds.ts";
import { formatAge, formatInstant } from "../output/format-age.ts";
import type { View } from "../output/print.ts";

const nameOf = ({ id }: ComponentBuild): string => id;
/** Enough of a digest to tell it from others. */
export const shortDigest = (digest: string): string => digest.slice(0, "sha256:".length + 12);
/** A build's status, and whether anything had changed. */
export const statusOfBuild = ({
  status,
  no_op: isSame,
}: Pick<ComponentBuild, "status" | "no_op">): string => (isSame ? `${status}, unchanged` : status);

/** What it is built from, in a list. */
export const shortSource = ({
  source_ref: ref,
  git_ref: asked,
  config_folder: isOwn,
}: Pick<ComponentBuild, "source_ref" | "git_ref" | "config_folder">): string =>
  isOwn ? "config folder" : ref.slice(0, 12) || asked;

/** A build in a list. */
export const buildLine: View<ComponentBuild> = {
  nameOf,
  columns: {
    ID: nameOf,
    COMPONENT: ({ component_name: name }) => name,
    STATUS: statusOfBuild,
    SOURCE: shortSource,
    DIGEST: ({ artifact }) => shortDigest(artifact?.digest ?? ""),
    AGE: ({ created_at }) => formatAge(created_at),
  },
};

/** One build, whole. */
export const buildDetails: View<ComponentBuild> = {
  nameOf,
  columns: {
    build: nameOf,
    component: ({ component_name: name, component_id: id }) => `${name} (${id})`,
    type: ({ component_type: type }) => type,
    status: (build) =>
      build.status_description === ""
        ? statusOfBuild(build)
        : `${statusOfBuild(build)}: ${build.status_description}`,
    config: ({ app_config_id: id, component_config_version: version }) =>
      `${id} (version ${version} of the component)`,
    source: ({ source_ref: ref, source_image: image, config_folder: isOwn }) =>
      isOwn ? `the config's own folder ${ref}`.trim() : ref || image,
    artifact: ({ artifact: made }) =>
      made === undefined ? "" : `${made.repository}:${made.tag}@${made.digest}`,
    size: ({ artifact: made }) => (made === undefined ? "" : `${made.size} bytes`),
    workflow: ({ workflow_id: id }) => id,
    job: ({ build_runner_job_id: id }) => id,
    created: ({ created_at: at }) => formatInstant(at),
    finished: ({ finished_at: at }) => (at === null ? "" : formatInstant(at)),
    deleted: ({ expires_at: at }) =>
      at === null ? "" : `${formatInstant(at)}, unless something comes to need it`,
    error: ({ composite_error: error }) => error?.detail ?? "",
  },
};

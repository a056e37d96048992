import type { ComponentBuild } from "../../shared/api/builds.ts";
import { formatAge, formatInstant } from "../output/format-age.ts";
import type { View } from "../output/print.ts";

/** The artifact of a build in a list; one of a build that found nothing new is that of an earlier one. */
export const artifactLine: View<ComponentBuild> = {
  nameOf: ({ artifact, id }) =>
    artifact === undefined ? id : `${artifact.repository}@${artifact.digest}`,
  columns: {
    COMPONENT: ({ component_name: name }) => name,
    BUILD: ({ id }) => id,
    REPOSITORY: ({ artifact }) => artifact?.repository ?? "",
    TAG: ({ artifact }) => artifact?.tag ?? "",
    DIGEST: ({ artifact }) => artifact?.digest ?? "",
    BYTES: ({ artifact }) => (artifact === undefined ? "" : String(artifact.size)),
    AGE: ({ created_at }) => formatAge(created_at),
    KEPT: ({ expires_at: at }) => (at === null ? "yes" : `until ${formatInstant(at)}`),
  },
};

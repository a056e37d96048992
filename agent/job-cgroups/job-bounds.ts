import { totalmem } from "node:os";
import type { AgentConfig } from "../config/read-config.ts";

/** What one job may take. */
export type Bounds = Pick<AgentConfig, "jobMemoryMax" | "jobPidsMax">;

/** How many processes the build of an image has where no setting says otherwise. */
export const imageProcesses = 4_096;
/** Of the host's memory, likewise. */
const imageShare = 0.8;

/**
 * The bounds of a job of this type: what the settings say. The jobs that build images have some in any case: what they
 * run is somebody else's, by ids that only their cgroup counts together.
 */
export function boundsOf(
  { jobMemoryMax, jobPidsMax }: Bounds,
  type: string,
  hostBytes = totalmem(),
): Bounds {
  if (type !== "docker-build") return { jobMemoryMax, jobPidsMax };
  return {
    jobMemoryMax: jobMemoryMax ?? Math.floor(hostBytes * imageShare),
    jobPidsMax: jobPidsMax ?? imageProcesses,
  };
}

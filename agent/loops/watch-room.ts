import { createHealthCheckRoute } from "../../shared/api/health-check.ts";
import { pause } from "../client/pause.ts";
import { freeDisk } from "../workspace/free-disk.ts";
import type { Loop } from "./loop-book.ts";
import type { LoopParts } from "./loop-parts.ts";

const lookEveryMs = 5_000;
const noSpace = 28; // ENOSPC, as operators know it
const mib = 2 ** 20;

/** Looks after the room on disk: below the floor nothing is claimed, and everybody can see why. */
export async function watchRoom(
  parts: LoopParts,
  { signal, turn }: Loop,
  onChange: () => void,
): Promise<void> {
  while (!signal.aborted) {
    const reason = await lackOfRoom(parts);
    const hasTurned = (reason === undefined) !== (parts.figures.notClaiming === undefined);
    if (reason !== parts.figures.notClaiming) {
      parts.figures.notClaiming = reason;
      onChange();
    }
    if (hasTurned) {
      parts.agent.log.warn(
        { why: reason },
        reason === undefined ? "takes jobs again" : "takes no jobs",
      );
      await tellBroker(parts, reason === undefined ? 0 : noSpace, signal);
    }
    turn();
    await pause(lookEveryMs, signal);
  }
}

/** Why no job can be taken now, in words. */
export async function lackOfRoom({ agent }: Pick<LoopParts, "agent">): Promise<string | undefined> {
  const { config, results } = agent;
  const trouble = results.problem();
  if (trouble !== undefined) return trouble;
  for (const dir of new Set([config.dataDir, config.workDir])) {
    const free = await freeDisk(dir);
    if (free < config.minFreeDisk) {
      const [has, floor] = [free, config.minFreeDisk].map((bytes) => Math.floor(bytes / mib));
      return `disk: ${dir} has ${has} MiB left, the floor is ${floor} MiB`;
    }
  }
  return undefined;
}

async function tellBroker({ agent }: LoopParts, code: number, signal: AbortSignal): Promise<void> {
  const body = {
    process: agent.config.mode,
    process_id: agent.process().id,
    status: code === 0 ? ("active" as const) : ("error" as const),
    status_code: code,
  };
  const how = { scope: "process", isOnce: true, signal } as const;
  await agent.client
    .call(createHealthCheckRoute, { params: { runner_id: agent.runnerId }, body }, how)
    .catch((error: unknown) => agent.log.debug({ err: error }, "the health check was not told"));
}

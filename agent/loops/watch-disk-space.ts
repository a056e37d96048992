import { createHealthCheckRoute } from "../../shared/api/health-check.ts";
import { updateProcessRoute } from "../../shared/api/runner-process.ts";
import { Refused } from "../client/broker-errors.ts";
import { pause } from "../client/pause.ts";
import { diskShortage, readDiskSpaces, type DiskSpace } from "../workspace/disk-space.ts";
import type { LoopContext } from "./loop-context.ts";
import type { Loop } from "./loop-runner.ts";

const lookEveryMs = 5_000;
const noSpace = 28; // ENOSPC, the code that operators know

/** Watches the free disk space. Below the minimum nothing is claimed, and the status says why. */
export async function watchDiskSpace(
  parts: LoopContext,
  { signal, turn }: Loop,
  onChange: () => void,
): Promise<void> {
  const told = { processId: "", code: 0 };
  let wasLacking = false;
  while (!signal.aborted) {
    await checkDiskSpace(parts);
    const why = parts.figures.notClaiming;
    const isLacking = why !== undefined;
    if (isLacking !== wasLacking) {
      parts.agent.log.warn({ why }, isLacking ? "takes no jobs" : "takes jobs again");
      wasLacking = isLacking;
      onChange();
    }
    const { id: processId } = parts.agent.process();
    // To the broker a new process takes jobs until it says otherwise.
    const known = told.processId === processId ? told.code : 0;
    const { notClaimingCode: code } = parts.figures;
    if (known !== code && (await tellBroker(parts, why, signal))) {
      Object.assign(told, { processId, code });
    }
    turn();
    await pause(lookEveryMs, signal);
  }
}

/** Checks whether there is space for a job now; the answer counts for claims from then on. */
export async function checkDiskSpace({ agent, figures }: LoopContext): Promise<void> {
  Object.assign(figures, await measureDiskSpace(agent, figures.notClaiming !== undefined));
}

type Seen = Pick<LoopContext["figures"], "notClaiming" | "notClaimingCode"> & {
  readonly places: readonly DiskSpace[];
};

/** The free space, and why no job can be claimed: as text and as error code. */
export async function measureDiskSpace(
  {
    config,
    results,
    runDir,
    heldClaims,
  }: Pick<LoopContext["agent"], "config" | "results" | "runDir" | "heldClaims">,
  hadNone: boolean,
): Promise<Seen> {
  const places = await readDiskSpaces({ ...config, runDir: runDir.path });
  const lacks = places.map((place) => diskShortage(place, hadNone));
  const lack = [results.problem(), ...lacks].find((reason) => reason !== undefined);
  if (lack !== undefined) return { places, notClaiming: lack, notClaimingCode: noSpace };
  const held = heldClaims.problem();
  return { places, notClaiming: held?.words, notClaimingCode: held?.code ?? 0 };
}

/**
 * Tells the broker that nothing is claimed; false when that failed. An older broker learns it only from health checks.
 */
async function tellBroker(
  { agent, figures }: LoopContext,
  why: string | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const { client, config, log, runnerId } = agent;
  const { id: processId } = agent.process();
  const params = { runner_id: runnerId };
  const how = { scope: "agent", isOnce: true, signal } as const;
  const check = {
    process: config.mode,
    process_id: processId,
    status: why === undefined ? ("active" as const) : ("error" as const),
    status_code: why === undefined ? 0 : figures.notClaimingCode,
  };
  const words = { takes_no_jobs: why ?? "" };
  try {
    await client.call(createHealthCheckRoute, { params, body: check }, how);
    const process = { ...params, process_id: processId };
    await client.call(updateProcessRoute, { params: process, body: words }, how);
    return true;
  } catch (error) {
    log.debug({ err: error }, "reporting disk space failed");
    return error instanceof Refused;
  }
}

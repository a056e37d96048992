import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { childFiles } from "./child-files.ts";
import type { ChildManifest } from "./child.ts";
import {
  bootId,
  isAbsence,
  parseStat,
  type ProcessIdentity,
  readStat,
} from "./process-identity.ts";

/** The spec of a child, as stored before its start. */
export type Asked = Omit<ChildManifest, "dir" | "leader" | "supervisor" | "carrier">;

/** Finds the child of a step, even if its start could not be recorded in time; undefined when nothing was started. */
export function findChild(
  runDir: string,
  executionId: string,
  step: number,
): ChildManifest | undefined {
  return readManifest(path.join(runDir, `${executionId}.${step}`));
}

/** The manifest of the child in this folder, once it has started. */
export function readManifest(dir: string, carrier?: ProcessIdentity): ChildManifest | undefined {
  const born = readText(path.join(dir, childFiles.born));
  if (!born.endsWith("\n")) return undefined;
  const [supervisor, leader] = born.trimEnd().split("\n").map(parseStat);
  const asked = readAsked(dir);
  if (supervisor === undefined || leader === undefined || asked === undefined) return undefined;
  return {
    ...asked,
    dir,
    leader: identityOf(leader),
    supervisor: identityOf(supervisor),
    carrier: identityOf(carrier ?? carrierOf(supervisor.group, supervisor)),
  };
}

/** The session leaders, also former ones, of an execution's children since the last boot. */
export function listLeaders(runDir: string, executionId: string): ProcessIdentity[] {
  return namesIn(runDir)
    .filter((name) => name.startsWith(`${executionId}.`))
    .map((name) => readManifest(path.join(runDir, name)))
    .flatMap((manifest) => (manifest?.bootId === bootId() ? [manifest.leader] : []));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}

/** The text of a file in a child's folder; empty when it does not exist. */
export function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (isAbsence(error)) return "";
    throw error;
  }
}

function readAsked(dir: string): Asked | undefined {
  const text = readText(path.join(dir, childFiles.asked));
  // Written atomically by the agent, in a folder that only it can write to.
  return text.endsWith("}") ? (JSON.parse(text) as Asked) : undefined;
}

function identityOf({ pid, startTime }: ProcessIdentity): ProcessIdentity {
  return { pid, startTime };
}

/** The carrier leads the supervisor's process group and is older; if it is gone, its pid stands for no process. */
function carrierOf(group: number, supervisor: ProcessIdentity): ProcessIdentity {
  const stat = readStat(group);
  const isOlder = stat !== undefined && Number(stat.startTime) <= Number(supervisor.startTime);
  return isOlder ? stat : { pid: group, startTime: "gone" };
}

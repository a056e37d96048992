import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import { z } from "zod";
import { stableShare } from "../../shared/stable-share.ts";
import { writeDurably } from "../files/atomic-file.ts";

/** A restart comes by up to this part of the longest life early, so that those who began together do not end together. */
const spread = 0.1;

/** When something that began then is restarted at the latest; undefined without a longest life. */
export function restartAtMs(
  beganMs: number,
  maxUptimeS: number,
  dataDir: string,
): number | undefined {
  if (!(maxUptimeS > 0)) return undefined;
  const share = stableShare(`${hostname()} ${dataDir}`);
  return beganMs + Math.round(maxUptimeS * 1_000 * (1 - spread * share));
}

const schema = z.object({ at: z.iso.datetime() });
const fileOf = (dataDir: string): string => path.join(dataDir, "last-scheduled-restart.json");

/** When an agent of this data directory was last restarted on schedule. */
export async function readLastRestart(dataDir: string): Promise<string | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(fileOf(dataDir), "utf8"))).at;
  } catch {
    return undefined; // it never was
  }
}

/** Keeps that it is restarted now, for the process that comes after. */
export async function storeLastRestart(dataDir: string): Promise<void> {
  await writeDurably(fileOf(dataDir), `${JSON.stringify({ at: new Date().toISOString() })}\n`);
}

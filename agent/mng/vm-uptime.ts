import { uptime } from "node:os";
import { restartAtMs, storeLastRestart } from "../register/restart-schedule.ts";
import { bootId } from "./host-boot.ts";
import type { Operation } from "./journal.ts";
import { newOperation } from "./new-operation.ts";
import type { Supervision } from "./supervision.ts";

/** When the host has been up for as long as it may; undefined where it may not be powered off, or has no such limit. */
export function hostRestartAtMs({ config, link }: Supervision): number | undefined {
  const settings = link()?.settings();
  if (settings === undefined || config.mngPowerOff !== "yes") return undefined;
  return restartAtMs(
    Math.round((Date.now() - uptime() * 1_000) / 1_000) * 1_000,
    settings.vm_max_uptime,
    config.dataDir,
  );
}

/** The operation that powers the host off after its longest time up, once what runs has ended, however long that takes. */
export async function dueHostRestart(supervision: Supervision): Promise<Operation | undefined> {
  const atMs = hostRestartAtMs(supervision);
  const { release, ended } = supervision.journal.read();
  const key = `vm_max_uptime ${bootId()}`;
  // Where the host did not go down, it is not tried all the time.
  if (atMs === undefined || Date.now() < atMs || ended.some((one) => one.key === key))
    return undefined;
  await storeLastRestart(supervision.config.dataDir);
  const never = Number.MAX_SAFE_INTEGER;
  return newOperation({
    key,
    kind: "power-off",
    from: release,
    to: release,
    drain_until_ms: never,
  });
}

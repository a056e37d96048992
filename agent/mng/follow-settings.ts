import { hostname } from "node:os";
import { stableShare } from "../../shared/stable-share.ts";
import { backoffMs } from "../client/backoff.ts";
import { isRelease } from "./is-release.ts";
import type { Operation } from "./journal.ts";
import { newOperation } from "./new-operation.ts";
import type { Supervision } from "./supervision.ts";

export type FollowSettings = {
  /** The operation that brings this host to what its runner's settings ask for, when its moment has come. */
  readonly due: () => Promise<Operation | undefined>;
};

type Awaited = {
  readonly release: string;
  /** When it is tried. */
  atMs: number;
  /** The operation that tried it last; empty before. */
  key: string;
  failures: number;
};

/**
 * Follows the version or image of the runner's settings. Each host has a moment of its own in the window after it sees
 * the change; what did not work here is tried again only when a job asks for it, or the settings ask for another. What
 * failed for a reason that may pass is tried again after a while, which doubles up to an hour.
 */
export function followSettings(supervision: Supervision): FollowSettings {
  const { config, driver, journal, link } = supervision;
  const delays = { fromMs: 10 * config.retryMost, mostMs: 3_600_000 };
  let awaited: Awaited | undefined;
  return {
    async due() {
      const settings = link()?.settings();
      const wanted = settings === undefined ? "" : driver.wanted(settings);
      const { release, rejected, stopped } = journal.read();
      const isRejected = isRelease(rejected?.release, wanted);
      if (rejected !== null && !isRejected) await journal.write({ rejected: null });
      const isThere = wanted === "" || isRelease(release, wanted);
      if (isThere || stopped !== "" || isRejected) {
        awaited = undefined;
        return undefined;
      }
      if (awaited?.release !== wanted) {
        const atMs =
          Date.now() +
          config.mngUpdateWindow * stableShare(`${hostname()} ${config.dataDir} ${wanted}`);
        awaited = { release: wanted, atMs, key: "", failures: 0 };
      }
      const { key: former } = awaited;
      const last = journal.read().ended.findLast(({ key }) => key === former)?.outcome;
      if (last?.result === "failed") {
        awaited.key = "";
        awaited.atMs = Date.now() + backoffMs(awaited.failures++, delays);
      }
      if (Date.now() < awaited.atMs) return undefined;
      awaited.key = `settings ${settings?.version} ${wanted}`;
      return newOperation({
        key: awaited.key,
        kind: "update",
        from: release,
        to: wanted,
        drain_until_ms: Date.now() + config.drainTimeout,
      });
    },
  };
}

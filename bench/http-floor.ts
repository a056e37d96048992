import type { Bench } from "./support/bench.ts";
import { measureFloor } from "./support/floor.ts";

/** What HTTP with JSON costs by itself: bare Hono, 64 connections, nothing behind it. */
export const httpFloor: Bench = {
  what: "POSTs a second of bare Hono over 64 connections",
  run: async ({ seconds, warmUpS }, tell) => {
    const { perS, cpuUs } = await measureFloor(64, { seconds, warmUpS });
    tell({ figure: "bare Hono, 64 connections", value: perS, unit: "POST/s" });
    tell({ figure: "CPU a POST, the server's", value: cpuUs, unit: "µs" });
  },
};

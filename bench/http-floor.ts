import type { Bench } from "./support/bench.ts";
import { openFloor } from "./support/floor.ts";
import { inTurns, medianRate, serversCpuUs } from "./support/in-turns.ts";

/** What HTTP with JSON costs by itself: bare Hono, 64 connections, nothing behind it. */
export const httpFloor: Bench = {
  what: "POSTs a second of bare Hono over 64 connections",
  run: async (options, tell) => {
    const floor = await openFloor(64);
    const { bare } = await inTurns({ bare: floor }, options);
    await floor.close();
    tell({ figure: "bare Hono, 64 connections", value: medianRate(bare), unit: "POST/s" });
    tell({ figure: "CPU a POST, the server's", value: serversCpuUs(bare), unit: "µs" });
  },
};

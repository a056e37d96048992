import type { Bench } from "./support/bench.ts";
import { medianRate, ratio, serversCpuUs } from "./support/in-turns.ts";
import { livesInTurns, tellLives } from "./support/lives-contest.ts";
import { liveOnce } from "./support/lives.ts";

const calls = 4;

/**
 * The whole life of a job over HTTP with one call for each step, 64 clients at 64 runners, against what bare HTTP
 * allows, Hono over pg-boss by the same calls, and pg-boss alone.
 */
export const livesSingle: Bench = {
  what: "whole lives of jobs over HTTP, one call a step, 64 clients",
  run: async (options, tell) => {
    const turns = await livesInTurns(options, {
      name: "lives-single",
      kind: "single",
      clients: 64,
      livesAtOnce: 1,
      slots: 10,
      act: liveOnce,
    });
    const { bare, ours, alone, graphile, overHttp } = turns;
    const quarter = { ...bare, rates: bare.rates.map((rate) => rate / calls) };
    tell({ figure: "bare Hono ÷ 4", value: medianRate(quarter), unit: "lives/s" });
    const bareUs = calls * serversCpuUs(bare);
    tell({ figure: "CPU of 4 bare POSTs, the server's", value: bareUs, unit: "µs" });
    tell({ figure: "lives, single calls", value: medianRate(ours), unit: "lives/s" });
    tell({ figure: "pg-boss alone", value: medianRate(alone), unit: "jobs/s" });
    tell({ figure: "graphile-worker alone", value: medianRate(graphile), unit: "jobs/s" });
    tell({ figure: "Hono over pg-boss", value: medianRate(overHttp), unit: "lives/s" });
    tell({
      figure: "lives ÷ (bare Hono ÷ 4)",
      ...ratio(ours, quarter),
      unit: "×",
      target: { atLeast: 0.25 },
    });
    tellLives(tell, turns, { alone: 1.3, graphile: 1.3, overHttp: 2.5 });
  },
};

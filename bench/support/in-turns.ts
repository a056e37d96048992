import { quantile } from "./figures.ts";
import { cpuOf } from "./process-cpu.ts";
import type { Paced } from "./run-clients.ts";

/** One of those that are compared: set up already, and idle until its turn comes. */
export type Contestant = {
  /** Works for so long, and tells how much was done. */
  readonly work: (seconds: number) => Promise<Paced>;
  /** Whose CPU its work costs, by name. */
  readonly pids: Readonly<Record<string, number>>;
};

export type Turns = {
  /** What was done a second in each round. */
  readonly rates: readonly number[];
  /** CPU of each of its processes for one unit of work, all rounds together, µs. */
  readonly cpuUs: Readonly<Record<string, number>>;
};

export type TurnTimes = {
  readonly warmUpS: number;
  /** How long each works in all rounds together. */
  readonly seconds: number;
  /** Called when all are warm and nothing is counted yet. */
  readonly onWarm?: () => Promise<void>;
};

/** An odd number, so that a median is one of them. */
const rounds = 5;

/**
 * Lets each work in turn, round after round, forwards and backwards: what else the machine does meanwhile falls on all of
 * them alike, so that their ratio means something where their speeds do not.
 */
export async function inTurns<Name extends string>(
  contestants: Readonly<Record<Name, Contestant>>,
  { warmUpS, seconds, onWarm }: TurnTimes,
): Promise<Record<Name, Turns>> {
  const all = Object.entries<Contestant>(contestants).map(([name, contestant]) => ({
    name,
    contestant,
    turns: [] as Turn[],
  }));
  for (const { contestant } of all) await contestant.work(warmUpS);
  await onWarm?.();
  for (let round = 0; round < rounds; round += 1) {
    for (const one of round % 2 === 0 ? all : all.toReversed()) {
      one.turns.push(await takeTurn(one.contestant, seconds / rounds));
    }
  }
  const taken = all.map(({ name, turns }) => [name, together(turns)]);
  return Object.fromEntries(taken) as Record<Name, Turns>; // one entry each
}

/** The median speed of all rounds. */
export function medianRate({ rates }: Turns): number {
  return quantile(rates, 0.5);
}

/** How many times as fast one was as the other: the median of the rounds' ratios, and the range of them for a note. */
export function ratio(one: Turns, other: Turns): { value: number; note: string } {
  const ratios = one.rates.map((rate, round) => rate / (other.rates[round] ?? Number.NaN));
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  return {
    value: quantile(ratios, 0.5),
    note: `${least.toPrecision(2)}–${most.toPrecision(2)} in ${ratios.length} rounds`,
  };
}

/** CPU for one unit of work without the load generator's, µs. */
export function serversCpuUs({ cpuUs }: Turns): number {
  const entries = Object.entries(cpuUs).filter(([name]) => name !== loadGenerator);
  return entries.reduce((sum, [, us]) => sum + us, 0);
}

/** The name of this process among a contestant's. */
export const loadGenerator = "load generator";

type Turn = Paced & { readonly cpuS: Readonly<Record<string, number>> };

async function takeTurn({ work, pids }: Contestant, seconds: number): Promise<Turn> {
  const before = Object.values(pids).map(cpuOf);
  const paced = await work(seconds);
  const cpuS = Object.entries(pids).map(([name, pid], at) => [
    name,
    cpuOf(pid) - (before[at] ?? 0),
  ]);
  return { ...paced, cpuS: Object.fromEntries(cpuS) as Record<string, number> };
}

function together(turns: readonly Turn[]): Turns {
  const count = turns.reduce((sum, turn) => sum + turn.count, 0);
  const names = Object.keys(turns[0]?.cpuS ?? {});
  const cpuUs = names.map((name) => {
    const usedS = turns.reduce((sum, { cpuS }) => sum + (cpuS[name] ?? 0), 0);
    return [name, (usedS / count) * 1e6];
  });
  return {
    rates: turns.map((turn) => turn.count / turn.seconds),
    cpuUs: Object.fromEntries(cpuUs) as Record<string, number>,
  };
}

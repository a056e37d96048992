import { readFileSync } from "node:fs";

/** The capabilities that root needs for jobs of other users, by number; containers may have dropped some. */
const needed: Readonly<Record<string, number>> = {
  CHOWN: 0,
  DAC_OVERRIDE: 1,
  KILL: 5,
  SETGID: 6,
  SETUID: 7,
};
const sysPtrace = 19;

/** The capabilities that this process lacks to run jobs as other users. */
export function missingCapabilities(): string[] {
  const mine = effective();
  return Object.entries(needed)
    .filter(([, bit]) => !has(mine, bit))
    .map(([name]) => name);
}

/**
 * Whether it may inspect processes of other users, and so find those that left their session before the end of their
 * job.
 */
export function canLookIntoProcesses(): boolean {
  return has(effective(), sysPtrace);
}

const has = (set: bigint, bit: number): boolean => ((set >> BigInt(bit)) & 1n) === 1n;

function effective(): bigint {
  const [, hex = "0"] =
    /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "latin1")) ?? [];
  return BigInt(`0x${hex}`);
}

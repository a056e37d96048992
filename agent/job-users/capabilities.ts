import { readFileSync } from "node:fs";

/** What root needs for jobs of other users, by the kernel's numbers; containers may have taken some away. */
const needed: Readonly<Record<string, number>> = {
  CHOWN: 0,
  DAC_OVERRIDE: 1,
  KILL: 5,
  SETGID: 6,
  SETUID: 7,
};
const sysPtrace = 19;

/** The rights that this process lacks to start jobs as other users and to look after them. */
export function missingCapabilities(): string[] {
  const mine = effective();
  return Object.entries(needed)
    .filter(([, bit]) => !has(mine, bit))
    .map(([name]) => name);
}

/** Whether it may look into other users' processes: who left its session is then found before its job's end. */
export function canLookIntoProcesses(): boolean {
  return has(effective(), sysPtrace);
}

const has = (set: bigint, bit: number): boolean => ((set >> BigInt(bit)) & 1n) === 1n;

function effective(): bigint {
  const [, hex = "0"] =
    /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "latin1")) ?? [];
  return BigInt(`0x${hex}`);
}

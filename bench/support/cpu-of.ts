import { cpuSeconds } from "./process-cpu.ts";

/** CPU seconds of a process with its children; of this process, which is the parent of all others, only its own. */
export function cpuOf(pid: number): number {
  if (pid !== process.pid) return cpuSeconds(pid);
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

import { readFileSync } from "node:fs";

/** Identifies the present boot of this host; empty where the system does not tell. */
export function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}

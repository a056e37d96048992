import { runChildProgram } from "../../broker/work-pool/run-child-program.ts";

/** Runs as a child process of a broker that is this very executable. */
export function runWorkChild(): void {
  runChildProgram();
}

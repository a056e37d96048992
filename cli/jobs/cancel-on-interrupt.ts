import { cancelJobRoute } from "../../shared/api/control-runner-jobs.ts";
import type { Caller } from "../command.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import type { Screen } from "../output/screen.ts";

/** The first Ctrl-C asks to cancel; a second one leaves the job to itself. Answers what takes that back. */
export function cancelOnInterrupt(call: Caller, screen: Screen, jobId: string): () => void {
  const cancel = (): void => {
    screen.say("Cancelling the job. Press Ctrl-C again to exit without waiting.");
    process.once("SIGINT", leave);
    call(cancelJobRoute, { params: { job_id: jobId } }).catch((error: unknown) => {
      screen.say(`The job could not be cancelled: ${error instanceof Error ? error.message : ""}`);
    });
  };
  process.once("SIGINT", cancel);
  return () => void process.off("SIGINT", cancel).off("SIGINT", leave);
}

function leave(): void {
  process.exit(exitCodes.interrupted.code);
}

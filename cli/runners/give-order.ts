import type { ProcessShutdown } from "../../shared/api/runner-process-shutdown.ts";
import type { FlagSpecs } from "../../shared/command-line/command.ts";
import { shutdownJobsText } from "../../shared/shutdown-jobs-text.ts";
import type { CommandCall } from "../command.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { readDurationNs } from "../flags/read-flags.ts";
import { printPage, type View } from "../output/print.ts";
import { awaitDrain } from "./await-drain.ts";

/** The flags of every command that orders processes to shut down. */
export const orderFlags = {
  deadline: {
    value: "DURATION",
    summary: "How long running jobs may continue before they are killed (default 30m).",
  },
  reason: { value: "TEXT", summary: "The reason, visible to others." },
  wait: {
    summary:
      "Wait until the processes are gone, and show which jobs still run. Exit with 1 unless each order completes.",
  },
  timeout: {
    value: "DURATION",
    summary: "With --wait: wait at most this long, then exit with 124. The order stands.",
  },
} as const satisfies FlagSpecs;

const orderLine: View<ProcessShutdown> = {
  nameOf: ({ id }) => id,
  columns: {
    ID: ({ id }) => id,
    PROCESS: ({ runner_process_id }) => runner_process_id,
    TYPE: ({ type }) => type,
    STATUS: ({ status }) => status,
    JOBS: shutdownJobsText,
  },
};

type Given = {
  readonly runnerId: string;
  readonly flags: { readonly wait: boolean; readonly timeout: string | undefined };
  /** Gives the order; answers its records. */
  readonly give: () => Promise<{
    readonly text: string;
    readonly body: readonly ProcessShutdown[];
  }>;
};

/** Gives an order to processes of a runner and shows its records: at once, or when it is over; answers the exit code. */
export async function giveOrder(
  at: Pick<CommandCall, "call" | "screen">,
  { runnerId, flags, give }: Given,
): Promise<number> {
  const { screen } = at;
  const timeoutNs = readDurationNs("--timeout", flags.timeout) ?? Number.POSITIVE_INFINITY;
  const deadlineMs = Date.now() + timeoutNs / 1e6;
  const records = await give();
  const show = (orders: readonly ProcessShutdown[], text: string): void => {
    const page = { text, body: { items: orders, next_cursor: null } };
    printPage(screen, page, { ...orderLine, empty: `No process of ${runnerId} lives.`, more: "" });
  };
  if (!flags.wait || records.body.length === 0) {
    show(records.body, records.text);
    if (records.body.length > 0) screen.say(`Follow it: svc runner get ${runnerId}`);
    return exitCodes.ok.code;
  }
  const { orders, isOver } = await awaitDrain(at, runnerId, { orders: records.body, deadlineMs });
  show(orders, JSON.stringify(orders));
  if (!isOver) {
    screen.say("Timed out waiting. The order stands.");
    return exitCodes.timeout.code;
  }
  const bad = orders.filter(({ status }) => status !== "completed");
  for (const { runner_process_id: id, status, status_description: why } of bad)
    screen.say(`The order to ${id} is ${status}${why === "" ? "" : `: ${why}`}.`);
  return bad.length === 0 ? exitCodes.ok.code : exitCodes.failed.code;
}

import { shutDownProcessRoute } from "../../shared/api/runner-process-shutdown.ts";
import { listProcessesRoute, getProcessRoute } from "../../shared/api/runner-process.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { runnerProcessTypes } from "../../shared/process-groups.ts";
import { processStatuses } from "../../shared/runner-process.ts";
import { type Command, defineCommand } from "../command.ts";
import { runnerFlag } from "../flags/runner-flag.ts";
import { defineList } from "../lists/define-list.ts";
import { printItem } from "../output/print.ts";
import { giveOrder, orderFlags } from "../runners/give-order.ts";
import { processDetails, processFacts, processLine } from "./process-view.ts";

const args = { process: { summary: "The process's id.", offers: "processes" } } as const;

const listProcesses = defineList({
  name: "process list",
  summary: "List the processes of a runner, newest first.",
  flags: {
    runner: runnerFlag("The runner whose processes they are."),
    type: { value: "TYPE", choices: runnerProcessTypes, summary: "Only processes of this type." },
    status: { value: "STATUS", choices: processStatuses, summary: "Only those in this status." },
  },
  examples: [
    { does: "List those that serve.", run: "svc process list --runner run_… --status active" },
  ],
  view: processLine,
  empty: "No processes found. Start an agent: svc runner enrol RUNNER",
  factsOf: processFacts,
  read: async ({ flags, call, page, runnerOf }) => {
    const { type, status } = flags;
    const params = { runner_id: await runnerOf(flags.runner) };
    return await call(listProcessesRoute, { params, query: { type, status, ...page } });
  },
});

const getProcess = defineCommand({
  name: "process get",
  summary: "Show a process: its version, what it serves, its warnings and its orders.",
  args,
  flags: { runner: runnerFlag("The runner whose process it is.") },
  examples: [{ does: "Show a process.", run: "svc process get prc_… --runner run_…" }],
  run: async ({ args, flags, call, screen, runnerOf }) => {
    const params = { runner_id: await runnerOf(flags.runner), process_id: args.process };
    printItem(screen, await call(getProcessRoute, { params }), processDetails);
  },
});

const shutDownProcess = defineCommand({
  name: "process shutdown",
  summary: "Shut down one process of a runner once its running jobs end.",
  details: "Without --force or --restart it is a graceful shutdown: the process drains, and ends.",
  args,
  flags: {
    runner: runnerFlag("The runner whose process it is."),
    force: { summary: "Do not drain: stop at once. Running jobs fail." },
    restart: { summary: "Drain, then start again." },
    ...orderFlags,
  },
  examples: [
    {
      does: "Restart one of several processes.",
      run: "svc process shutdown prc_… --runner run_… --restart --wait",
    },
  ],
  run: async ({ args, flags, call, screen, runnerOf }) => {
    const { force, restart, deadline, reason } = flags;
    if (force && (restart || deadline !== undefined)) {
      throw new UsageError("--force cannot be used together with --restart or --deadline.");
    }
    const runnerId = await runnerOf(flags.runner);
    const params = { runner_id: runnerId, process_id: args.process };
    const body = {
      shutdown_type: force ? "force" : restart ? "restart" : "graceful",
      ...(deadline !== undefined && { deadline }),
      ...(reason !== undefined && { reason }),
    } as const;
    const give = async () => {
      const { text, body: order } = await call(shutDownProcessRoute, { params, body });
      return { text: `[${text}]`, body: [order] };
    };
    return await giveOrder({ call, screen }, { runnerId, flags, give });
  },
});

/** The commands of processes, in the order of help. */
export const processCommands: readonly Command[] = [listProcesses, getProcess, shutDownProcess];

import { getInstallActionRunRoute } from "../../shared/api/actions.ts";
import { listJobsRoute } from "../../shared/api/read-runner-jobs.ts";
import { getWorkflowRoute } from "../../shared/api/workflows.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { type CommandCall, defineCommand } from "../command.ts";
import { findInstall, installArgs } from "../installs/find-install.ts";
import { fetchRecords } from "../logs/fetch-records.ts";
import { logDetails, logFlags, logQuery, streamParams } from "../logs/log-flags.ts";
import { printRecords } from "../logs/print-records.ts";

type Call = CommandCall["call"];
type Given = { readonly install: string | undefined; readonly run: string };

export const showRunLog = defineCommand({
  name: "action logs",
  summary: "Show the log of a run of an action so far.",
  details: logDetails,
  args: {
    install: { ...installArgs.install, isOptional: true },
    run: { summary: "The run's id, or that of its workflow." },
  },
  flags: logFlags,
  examples: [{ does: "Show a run's log.", run: "svc action logs awr_…" }],
  run: async ({ args, flags, call, connect, screen }) => {
    const jobId = await jobOf(call, args);
    if (jobId === undefined) {
      screen.say("This run has no job yet.");
      return;
    }
    const asked = { params: streamParams(jobId), query: logQuery(flags) };
    const count = await printRecords(screen, flags, fetchRecords(await connect(), asked, screen));
    if (count === 0) screen.say("No log records found.");
  },
});

/** The job that does the run: the last one, where it was tried again. */
async function jobOf(call: Call, { install, run }: Given): Promise<string | undefined> {
  if (run.startsWith("wfl_")) {
    const { body } = await call(getWorkflowRoute, { params: { workflow_id: run } });
    return body.steps.findLast(({ runner_job_id: id }) => id !== null)?.runner_job_id ?? undefined;
  }
  if (!run.startsWith("awr_"))
    throw new UsageError(
      `"${run}" is not the id of a run (awr_…) or of a workflow (wfl_…).`,
      `See: svc action runs ${install ?? run}`,
    );
  if (install !== undefined) {
    const { id } = (await findInstall(call, install)).body;
    const params = { install_id: id, run_id: run };
    return (await call(getInstallActionRunRoute, { params })).body.runner_job_id ?? undefined;
  }
  const { body } = await call(listJobsRoute, { query: { owner_id: run, limit: "1" } });
  return body.items[0]?.id;
}

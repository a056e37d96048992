import { enqueueJobRoute } from "../../shared/api/enqueue-jobs.ts";
import {
  runnerJobGroups,
  runnerJobOperations,
  runnerJobTypeNames,
} from "../../shared/runner-job-types.ts";
import { defineCommand } from "../command.ts";
import { readDurationNs, readPairs, readWhole } from "../flags/read-flags.ts";
import { runnerFlag } from "../flags/runner-flag.ts";
import { printItem } from "../output/print.ts";
import { awaitJobs, waitCodes, waitFlags } from "./await-jobs.ts";
import { jobDetails } from "./job-view.ts";
import { readPlan, withPlan } from "./plan-text.ts";

const timeout = (which: string) => ({
  value: "DURATION",
  summary: `The ${which} timeout, like 15m (default: that of its type).`,
});

export const createJob = defineCommand({
  name: "job create",
  summary: "Enqueue a job for a runner.",
  codes: waitCodes,
  flags: {
    runner: runnerFlag("The runner that runs the job."),
    type: {
      value: "TYPE",
      isRequired: true,
      choices: runnerJobTypeNames,
      summary: "The type of the job, like noop or terraform-deploy.",
    },
    operation: {
      value: "OPERATION",
      choices: runnerJobOperations,
      summary: "Operation of the job (default: exec).",
    },
    group: {
      value: "GROUP",
      choices: runnerJobGroups,
      summary: "The job group (default: that of the type).",
    },
    "plan-file": {
      value: "FILE",
      summary: "The plan, a JSON object, from a file or standard input (-); passed on unchanged.",
    },
    metadata: { value: "NAME=VALUE", isRepeatable: true, summary: "Metadata for the job." },
    "owner-id": { value: "ID", summary: "The owner's id in your own system." },
    "owner-type": { value: "TYPE", summary: "The type of the owner, in your own words." },
    "queue-timeout": timeout("queue"),
    "available-timeout": timeout("available"),
    "execution-timeout": timeout("execution"),
    "overall-timeout": timeout("overall"),
    "max-executions": { value: "N", summary: "The maximum number of executions (default 1)." },
    "idempotency-key": {
      value: "KEY",
      summary: "A key that makes retries safe: the same key never creates a second job.",
    },
    wait: { summary: "Wait until the job has ended." },
    ...waitFlags,
  },
  examples: [
    { does: "Enqueue a job that does nothing.", run: "svc job create --runner run_… --type noop" },
    {
      does: "Enqueue a plan from another program; the exit code says whether the job finished.",
      run: "make-plan | svc job create --runner run_… --type helm-chart-deploy --plan-file - --wait --exit-status",
    },
  ],
  run: async ({ flags, call, runnerOf, screen }) => {
    const plan = flags["plan-file"] === undefined ? "" : await readPlan(flags["plan-file"]);
    const body = {
      type: flags.type,
      operation: flags.operation,
      group: flags.group,
      owner_id: flags["owner-id"],
      owner_type: flags["owner-type"],
      metadata: readPairs("--metadata", flags.metadata),
      queue_timeout: readDurationNs("--queue-timeout", flags["queue-timeout"]),
      available_timeout: readDurationNs("--available-timeout", flags["available-timeout"]),
      execution_timeout: readDurationNs("--execution-timeout", flags["execution-timeout"]),
      overall_timeout: readDurationNs("--overall-timeout", flags["overall-timeout"]),
      max_executions: readWhole("--max-executions", flags["max-executions"]),
    };
    const key = flags["idempotency-key"];
    const job = await call(enqueueJobRoute, {
      params: { runner_id: await runnerOf(flags.runner) },
      body,
      bodyText: withPlan(JSON.stringify(body), plan),
      ...(key !== undefined && { headers: { "idempotency-key": key } }),
    });
    if (flags.wait) {
      return await awaitJobs({ flags, call, screen, target: "ended" }, [job.body.id]);
    }
    printItem(screen, job, jobDetails);
    screen.say(`Follow it: svc job wait ${job.body.id}`);
    return undefined;
  },
});

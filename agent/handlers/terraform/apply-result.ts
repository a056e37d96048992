import { z } from "zod";
import { writeStateJsonRoute } from "../../../shared/api/terraform-state.ts";
import type { Job, JobResult } from "../../jobs/handler.ts";
import { hideAll } from "./hide-all.ts";
import { hideSensitive } from "./hide-sensitive.ts";
import { mostJsonBytes, readBytes } from "./read-json-file.ts";
import { isWell, type Ran, runTerraform, type TerraformCommand } from "./run-terraform.ts";
import type { TerraformContext } from "./terraform-context.ts";

const output = z.looseObject({
  sensitive: z.boolean().catch(false),
  type: z.unknown().optional(),
  value: z.unknown().optional(),
});
const outputsSchema = z.record(z.string(), output);
type StateOutputs = z.infer<typeof outputsSchema>;

const mostStateJsonBytes = 64 * 2 ** 20;

/** The result of an applied plan: its outputs, with only the names of the sensitive ones. */
export async function applyResult(context: TerraformContext, ran: Ran): Promise<JobResult> {
  const outputs = await readOutputs(context);
  const { add = 0, change = 0, remove = 0 } = ran.said.counts ?? {};
  const open = Object.entries(outputs).filter(([, { sensitive }]) => !sensitive);
  const summary = {
    tool: context.run.tool,
    add,
    change,
    destroy: remove,
    outputs: Object.fromEntries(
      Object.entries(outputs).map(([name, { sensitive, type }]) => [name, { sensitive, type }]),
    ),
  };
  return {
    description: `Applied: ${appliedCounts(ran)}.`,
    outputs: Object.fromEntries(open.map(([name, { value }]) => [name, value ?? null])),
    result: { contents: JSON.stringify(summary) },
  };
}

/** What was applied, as text. */
export function appliedCounts({ said }: Ran): string {
  const { add = 0, change = 0, remove = 0 } = said.counts ?? {};
  return `${add} added, ${change} changed, ${remove} destroyed`;
}

/**
 * The outputs, from the whole state, which the broker also gets as JSON; if that is very large, from the outputs
 * alone.
 */
async function readOutputs(context: TerraformContext): Promise<StateOutputs> {
  const { job } = context;
  const shown = await readState(context, stateCommand(context));
  if (shown === undefined) return {};
  await postStateJson(context, shown);
  if (shown.length <= mostJsonBytes) {
    const state = JSON.parse(shown.toString("utf8")) as Record<string, unknown>; // it is terraform's own output
    const values = (state["values"] ?? {}) as Record<string, unknown>;
    return outputsIn(job, { outputs: values["outputs"] ?? {}, values });
  }
  job.log("The state is large: only its outputs are read.", "info", "outputs", "large state");
  const outputs = await readState(context, stateCommand(context, "output"));
  if (outputs === undefined) return {};
  return outputsIn(job, { outputs: JSON.parse(outputs.toString("utf8")) as unknown });
}

function outputsIn(job: Job, state: Record<string, unknown>): StateOutputs {
  hideAll(job, hideSensitive(state));
  return outputsSchema.safeParse(state["outputs"]).data ?? {};
}

const mostReadBytes = 512 * 2 ** 20;

/** The command that reads the state, or its outputs alone. */
export function stateCommand(
  { files }: TerraformContext,
  what: "show" | "output" = "show",
): TerraformCommand {
  return {
    key: `state/${what}`,
    step: "outputs",
    args: [what, "-json"],
    output: { file: files.stateJson },
    isCleanup: true,
    isRepeatable: true,
  };
}

async function readState(
  context: TerraformContext,
  command: TerraformCommand,
): Promise<Buffer | undefined> {
  const { job, files } = context;
  const ran = await runTerraform(context, command);
  if (isWell(ran)) {
    const bounds = { what: "The state as JSON", mostBytes: mostReadBytes };
    return await readBytes(files.stateJson, job.directories.owner, bounds);
  }
  const words = `The plan was applied, but its outputs cannot be read: terraform ${command.args[0]} ${ran.end.words}.`;
  job.log(words, "warn", "outputs", `unread ${command.args[0]}`);
  return undefined;
}

const patienceMs = 60_000;

/** Sends the state as JSON, which people look at; if that fails, the job succeeds nevertheless. */
async function postStateJson(context: TerraformContext, bytes: Buffer): Promise<void> {
  const { job, run } = context;
  if (bytes.length > mostStateJsonBytes) {
    const words =
      "The state as JSON has more than 64 MiB, so it is not sent to the broker in that form.";
    return job.log(words, "warn", "outputs", "state json");
  }
  const input = {
    params: { workspace_id: run.workspaceId },
    query: { job_id: job.info.id },
  };
  try {
    const { token } = job;
    const how = { scope: "job", giveUpAfterMs: patienceMs, bytes, token } as const;
    await job.agent.client.call(writeStateJsonRoute, input, how);
  } catch (error) {
    job.agent.log.warn(
      { err: error, execution_id: job.executionId },
      "failed to send a state as JSON",
    );
    job.log("The broker did not accept the state as JSON.", "warn", "outputs", "state json");
  }
}

import { writeJobFileOnce } from "../../job-users/job-files.ts";
import { digestOf } from "./engine-events.ts";
import { openEnvelope, planDigest, type PlanEnvelope } from "./plan-envelope.ts";
import { configDigest } from "./preview-result.ts";
import type { PulumiContext } from "./pulumi-context.ts";
import { pulumiFailure } from "./pulumi-failure.ts";

/**
 * Reads the plan to apply. Throws JobFailure, class plan_changed, unless it is byte for byte the approved one and what it was made
 * of is what is here: program, config, stack; and plan_stale when the state is another.
 */
export async function checkPulumiPlan(context: PulumiContext): Promise<PlanEnvelope> {
  const { job, run, files, revision, project, stateRevision } = context;
  const { planFile = Buffer.alloc(0), approved } = run;
  if (Object.values(approved).every((one) => one === undefined)) {
    const words =
      "The job does not say which plan was approved (approved), so its digest was not compared.";
    job.log(words, "warn", "", "nothing approved");
  }
  const digest = planDigest(planFile);
  if (approved.plan !== undefined && approved.plan !== digest) {
    throw changed(`The plan has the SHA-256 ${digest}; approved was ${approved.plan}.`);
  }
  const envelope = openEnvelope(planFile);
  if (envelope === undefined) throw changed("apply_plan_contents is not a plan of pulumi.");
  const source = approved.revision ?? envelope.source_revision;
  if (source !== revision) {
    const has = revision === "" ? "at an unknown revision" : `at ${revision}`;
    throw changed(
      `The program is ${has}; approved was ${source === "" ? "an unknown one" : source}.`,
    );
  }
  const rows: readonly (readonly [string, unknown, unknown])[] = [
    ["project", project.name, envelope.project],
    ["stack", run.stackName, envelope.stack],
    ["config", configDigest(run), envelope.config_sha256],
  ];
  const [wrong] = rows.filter(([, is, was]) => digestOf(is) !== digestOf(was));
  if (wrong !== undefined) throw changed(`The ${wrong[0]} is not the one that it was made with.`);
  if (run.isDestroy && !envelope.destroy) {
    throw changed("The job destroys, and the plan was made for an update.");
  }
  if (envelope.state_revision !== stateRevision) {
    throw pulumiFailure(
      `The plan is stale: it was made on revision ${envelope.state_revision} of the state, which has revision ${stateRevision} now. Nothing was changed; make a new plan.`,
      { class: "plan_stale" },
    );
  }
  if (envelope.saved_plan !== null) {
    await writeJobFileOnce(files.plan, envelope.saved_plan, job.directories.owner);
  }
  return envelope;
}

function changed(detail: string): Error {
  const words = `This is not the plan that was approved. ${detail} Nothing was changed; make a new plan.`;
  return pulumiFailure(words, { class: "plan_changed" });
}

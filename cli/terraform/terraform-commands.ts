import { type Command, defineCommand } from "../command.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { applyPlanned } from "../plans/apply-planned.ts";
import { endPlan, tellPrograms } from "../plans/make-plan.ts";
import { planAndApply } from "../plans/plan-and-apply.ts";
import {
  autoApprove,
  detailedExitcode,
  followed,
  plannedJob,
  runner,
} from "../plans/plan-flags.ts";
import { type PlanAsk, planFolder, terraformKind } from "./plan-folder.ts";

const folder = { summary: "The folder with the configuration." } as const;
const args = { folder } as const;
const planFlags = {
  workspace: {
    value: "NAME",
    summary:
      "The workspace for the state: a name, of which each folder has its own, created at first use; or a workspace's id.",
  },
  var: {
    value: "NAME=VALUE",
    isRepeatable: true,
    summary: "A variable; a list or an object as JSON.",
  },
  "var-file": { value: "FILE", isRepeatable: true, summary: "A file of variables." },
  target: { value: "ADDRESS", isRepeatable: true, summary: "Only this resource." },
} as const;
const nothing = "There is nothing to apply.";
const sent =
  "The folder is sent without .terraform, .git and states. Terraform plans it at the runner, and the broker keeps its state.";

const planTerraform = defineCommand({
  name: "terraform plan",
  summary: "Plan a folder's terraform at a runner, and show the plan.",
  details: `${sent} The plan goes to standard output, the log without it to standard error. Exactly this plan is applied by svc terraform apply --job.`,
  ...followed,
  args,
  flags: {
    runner,
    ...planFlags,
    destroy: { summary: "Plan to destroy everything." },
    "detailed-exitcode": detailedExitcode,
  },
  examples: [
    {
      does: "Show what would change.",
      run: "svc terraform plan examples/terraform-hello --runner run_…",
    },
  ],
  run: async (at) => {
    const { args, flags, screen } = at;
    const runnerId = await at.runnerOf(flags.runner);
    const asked = { ...askOf(args.folder, flags, runnerId), isDestroy: flags.destroy };
    const made = await planFolder(at, asked);
    return endPlan(screen, made, { isDetailed: flags["detailed-exitcode"] });
  },
});

const applyTerraform = defineCommand({
  name: "terraform apply",
  summary: "Plan a folder's terraform at a runner, ask, and apply exactly that plan.",
  details: `${sent} With --job it applies what svc terraform plan planned, without a new plan. Ctrl-C stops terraform gracefully.`,
  ...followed,
  args: { folder: { ...folder, isOptional: true } },
  flags: {
    runner,
    ...planFlags,
    job: plannedJob,
    "auto-approve": autoApprove,
  },
  examples: [
    {
      does: "Apply an example that needs no cloud and no credentials.",
      run: "svc terraform apply examples/terraform-hello --runner run_…",
    },
    { does: "Apply an earlier plan.", run: "svc terraform apply --job job_… --auto-approve" },
  ],
  run: async (at) => {
    const { args, flags } = at;
    return await planAndApply(at, terraformKind, {
      verb: "apply",
      flags,
      isNamed: args.folder !== undefined,
      needed: "a folder",
      plan: async (runnerId) => await planFolder(at, askOf(args.folder ?? "", flags, runnerId)),
      question: "Apply exactly this plan?",
      nothing,
    });
  },
});

const destroyTerraform = defineCommand({
  name: "terraform destroy",
  summary: "Plan to destroy all that a folder's terraform has made, ask, and do it.",
  details: sent,
  ...followed,
  args,
  flags: { runner, ...planFlags, "auto-approve": autoApprove },
  examples: [
    {
      does: "Destroy everything.",
      run: "svc terraform destroy examples/terraform-hello --runner run_…",
    },
  ],
  run: async (at) => {
    const { args, flags } = at;
    const runnerId = await at.runnerOf(flags.runner);
    const made = await planFolder(at, { ...askOf(args.folder, flags, runnerId), isDestroy: true });
    return await applyPlanned(at, made, {
      isApproved: flags["auto-approve"],
      question: "Destroy all of this?",
      nothing,
    });
  },
});

const findDrift = defineCommand({
  name: "terraform drift",
  summary: "Check whether the real resources still match the state.",
  details: `${sent} Nothing is changed and nothing is locked.`,
  codes: [
    [String(exitCodes.ok.code), "The resources match the state."],
    [String(exitCodes.drift.code), "Something differs."],
  ],
  ...followed,
  args,
  flags: { runner, ...planFlags },
  examples: [
    {
      does: "Check for drift in a script.",
      run: "svc terraform drift infra --runner run_… || echo look",
    },
  ],
  run: async (at) => {
    const { args, flags, screen } = at;
    const runnerId = await at.runnerOf(flags.runner);
    const asked = { ...askOf(args.folder, flags, runnerId), isRefreshOnly: true };
    const made = await planFolder(at, asked);
    tellPrograms(screen, made);
    return made.planned?.summary["has_drift"] === true ? exitCodes.drift.code : made.code;
  },
});

type Flags = {
  readonly workspace: string | undefined;
  readonly var: readonly string[];
  readonly "var-file": readonly string[];
  readonly target: readonly string[];
};

function askOf(folder: string, flags: Flags, runnerId: string): PlanAsk {
  return {
    folder,
    runnerId,
    workspace: flags.workspace ?? "default",
    vars: flags.var,
    varFiles: flags["var-file"],
    targets: flags.target,
    isDestroy: false,
    isRefreshOnly: false,
  };
}

/** The commands of terraform, in the order of help. */
export const terraformCommands: readonly Command[] = [
  planTerraform,
  applyTerraform,
  destroyTerraform,
  findDrift,
];

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { RunnerJobType } from "../../shared/runner-job-types.ts";
import type { AgentConfig } from "../config/read-config.ts";
import { findProgram } from "../processes/find-program.ts";
import type { DoctorContext, Finding, Found } from "./finding.ts";
import { failed, ok, warning } from "./finding.ts";

type Tool = {
  readonly name: string;
  readonly args: readonly string[];
  readonly needs: string;
  /** The kinds of jobs that need it; it is not checked if all of them are disabled. */
  readonly types: readonly RunnerJobType[];
  readonly isNeeded?: true;
  /** Whether it is downloaded from its release server when a plan pins its version. */
  readonly isDownloaded?: (config: AgentConfig) => boolean;
};

const run = promisify(execFile);
const patienceMs = 10_000;

const terraformTypes = [
  "terraform-deploy",
  "sandbox-terraform",
  "sandbox-terraform-plan",
  "runner-terraform",
] as const;
const pulumiTypes = ["pulumi-deploy", "sandbox-pulumi"] as const;
const actionTypes = ["actions-workflow", "runner-local"] as const;

/** The tools of jobs, and the jobs that need them. */
const tools: readonly Tool[] = [
  {
    name: "bash",
    args: ["--version"],
    needs: "every action",
    types: actionTypes,
    isNeeded: true,
  },
  {
    name: "git",
    args: ["--version"],
    needs: "sources in git repositories",
    types: [...actionTypes, ...terraformTypes, "helm-chart-deploy", "kubernetes-manifest-deploy"],
  },
  {
    name: "terraform",
    args: ["version"],
    needs: "terraform jobs",
    types: terraformTypes,
    isDownloaded: ({ terraformReleases }) => terraformReleases !== "off",
  },
  {
    name: "pulumi",
    args: ["version"],
    needs: "pulumi jobs",
    types: pulumiTypes,
  },
  {
    name: "npm",
    args: ["--version"],
    needs: "builds of programs for pulumi",
    types: ["pulumi-build"],
  },
  {
    name: "helm",
    args: ["version", "--short"],
    needs: "helm jobs",
    types: ["helm-chart-deploy", "runner-helm"],
  },
  {
    name: "kubectl",
    args: ["version", "--client"],
    needs: "actions that use it",
    types: actionTypes,
  },
];

/** Which tools of the enabled kinds of jobs are installed, and their versions. */
export async function checkTools(context: DoctorContext): Promise<Finding[]> {
  const { config } = context;
  const wanted = tools.filter(({ types }) => types.some((type) => isDoneHere(config, type)));
  return await Promise.all(
    wanted.map(async (tool) => ({ check: tool.name, ...(await checkTool(context, tool)) })),
  );
}

function isDoneHere({ allowTypes, denyTypes }: AgentConfig, type: RunnerJobType): boolean {
  return allowTypes?.has(type) !== false && denyTypes?.has(type) !== true;
}

async function checkTool({ config }: DoctorContext, tool: Tool): Promise<Found> {
  const search = config.env["PATH"] ?? "";
  const program = await findProgram(tool.name, { cwd: "/", search });
  if (program === undefined) {
    if (tool.isDownloaded?.(config) === true) {
      return warning(`It is not on the PATH: ${tool.needs} will fail whose plans pin no version.`);
    }
    const words = `It is not on the PATH: ${tool.needs} will fail.`;
    return tool.isNeeded === true ? failed(words) : warning(words);
  }
  try {
    const { stdout } = await run(program, tool.args, {
      timeout: patienceMs,
      env: {
        PATH: search,
        HOME: "/nonexistent",
        CHECKPOINT_DISABLE: "1",
        PULUMI_SKIP_UPDATE_CHECK: "true",
      },
    });
    return ok(`${(stdout.split("\n")[0] ?? "").slice(0, 80)} (${program})`);
  } catch {
    return warning(`${program} does not report its version: ${tool.needs} may fail.`);
  }
}

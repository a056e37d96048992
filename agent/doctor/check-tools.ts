import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findProgram } from "../processes/find-program.ts";
import type { DoctorScene, Finding, Found } from "./finding.ts";
import { failed, ok, warning } from "./finding.ts";

type Tool = {
  readonly name: string;
  readonly args: readonly string[];
  readonly needs: string;
  readonly isNeeded?: true;
};

const run = promisify(execFile);
const patienceMs = 10_000;

/** What jobs call, and which jobs. */
const tools: readonly Tool[] = [
  { name: "bash", args: ["--version"], needs: "every action", isNeeded: true },
  { name: "git", args: ["--version"], needs: "sources in git repositories" },
  { name: "terraform", args: ["version"], needs: "terraform jobs" },
  { name: "helm", args: ["version", "--short"], needs: "helm jobs" },
  { name: "kubectl", args: ["version", "--client"], needs: "actions that use it" },
];

/** Which of the tools are there, in which version. */
export async function checkTools(scene: DoctorScene): Promise<Finding[]> {
  return await Promise.all(
    tools.map(async (tool) => ({ check: tool.name, ...(await checkTool(scene, tool)) })),
  );
}

async function checkTool({ config }: DoctorScene, tool: Tool): Promise<Found> {
  const search = config.env["PATH"] ?? "";
  const program = await findProgram(tool.name, { cwd: "/", search });
  if (program === undefined) {
    const words = `It is not on the PATH: ${tool.needs} will fail.`;
    return tool.isNeeded === true ? failed(words) : warning(words);
  }
  try {
    const { stdout } = await run(program, tool.args, {
      timeout: patienceMs,
      env: { PATH: search, HOME: "/nonexistent", CHECKPOINT_DISABLE: "1" },
    });
    return ok(`${(stdout.split("\n")[0] ?? "").slice(0, 80)} (${program})`);
  } catch {
    return warning(`${program} does not say its version: ${tool.needs} may fail.`);
  }
}

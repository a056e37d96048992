import type { AgentConfig } from "../config/read-config.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import { findProgram } from "../processes/find-program.ts";
import type { FoundTool } from "./find-terraform.ts";
import { programVersion, type VersionAsk } from "./program-version.ts";

const asked: VersionAsk = {
  args: ["version"],
  read: (printed) => {
    const version = /^v?(\d+\.\d+\.\d+\S*)$/m.exec(printed)?.[1];
    if (version === undefined) throw new Error("it tells no version");
    return version;
  },
  env: { PULUMI_SKIP_UPDATE_CHECK: "true" },
};

/** Finds pulumi on the PATH. Throws JobFailure when there is none, or not in the wanted version: "3.190.0", "3.190" or "3". */
export async function findPulumi(
  config: AgentConfig,
  wanted: string | undefined,
): Promise<FoundTool> {
  const search = config.env["PATH"] ?? "";
  const program = await findProgram("pulumi", { cwd: "/", search });
  const version = program === undefined ? "" : await programVersion(program, search, asked);
  if (program === undefined || version === "") {
    throw missing("The job needs pulumi, which is not on this host's PATH.");
  }
  const isFit = wanted === undefined || version === wanted || version.startsWith(`${wanted}.`);
  if (isFit || wanted === "latest") return { program, version };
  throw missing(
    `The plan asks for pulumi ${wanted}; this host has pulumi ${version}, and the agent downloads none. Ask for that version, or install the other one.`,
  );
}

function missing(words: string): JobFailure {
  return new JobFailure(words, {
    reason: "tool_missing",
    code: 127,
    metadata: { class: "not_installed" },
  });
}

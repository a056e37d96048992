import path from "node:path";
import { type Packed, packTold, type PackRequest } from "../../artifacts/pack-request.ts";
import { readJobText, writeJobFileOnce } from "../../job-users/job-files.ts";
import type { Job } from "../../jobs/handler.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import { buildClassOf, buildFailure, endReasons } from "./build-failure.ts";

const mostToldBytes = 2 ** 20;

/**
 * Packs by a child of this program that runs as the job's user, or without `output` only looks at what would be packed.
 * Repeated with the same key it answers the same. Throws JobFailure.
 */
export async function packArtifact(
  job: Job,
  key: string,
  request: Omit<PackRequest, "told" | "mostBytes">,
): Promise<Packed> {
  const { secrets, workspace, owner } = job.directories;
  const told = path.join(secrets, `${key}.told`);
  const file = path.join(secrets, `${key}.json`);
  const whole: PackRequest = { ...request, told, mostBytes: job.agent.config.sourceSize };
  await writeJobFileOnce(file, JSON.stringify(whole), owner);
  const end = await job.run({
    key,
    step: "pack",
    argv: ["svc-agent", "artifact", "pack", file],
    cwd: workspace,
    env: { PATH: job.agent.config.env["PATH"] ?? "" },
  });
  const said = await readJobText(told, owner, mostToldBytes);
  const answer = said === "" ? undefined : packTold.parse(JSON.parse(said));
  if (answer !== undefined && "digest" in answer) return answer;
  if (answer !== undefined) {
    const words = `It cannot be packed: ${job.redact(answer.words)}.`;
    throw buildFailure(words, buildClassOf(answer.class), answer.file);
  }
  const reason = endReasons[end.why] ?? "build_failed";
  throw new JobFailure(`The artifact cannot be packed: it ${end.words}.`, { reason });
}

import path from "node:path";
import { readJobText, writeJobFileOnce } from "../job-users/job-files.ts";
import type { Job } from "../jobs/handler.ts";
import type { SourceHere } from "./fetch-source.ts";
import { gitLogins } from "./git-access.ts";
import { type LfsRequest, lfsTold } from "./lfs-request.ts";
import { type SourceClass, sourceFailure } from "./source-failure.ts";
import type { GitSource } from "./source.ts";

const mostToldBytes = 2 ** 16;

type Here = Pick<SourceHere, "folder" | "directory"> & { readonly title: string };

/**
 * Fetches the files of a repository that are in Git LFS and that a build of the directory needs, as the job's user, by the server's
 * batch API: what is built never has a pointer in place of a file. Throws JobFailure.
 */
export async function fetchLfs(
  job: Job,
  source: GitSource,
  { folder, directory, title }: Here,
): Promise<void> {
  const { secrets, workspace, owner } = job.directories;
  const told = path.join(secrets, "lfs.told");
  const file = path.join(secrets, "lfs.json");
  const { url, logins } = await gitLogins(job, source);
  const mostBytes = job.agent.config.sourceSize;
  const order: LfsRequest = { folder, built: directory, url, logins, told, mostBytes };
  // The child that reads the logins removes them.
  if (!job.hasBegun("lfs")) await writeJobFileOnce(file, JSON.stringify(order), owner);
  const end = await job.run({
    key: "lfs",
    step: "source",
    argv: ["svc-agent", "source", "lfs", file],
    cwd: workspace,
    env: {
      PATH: job.agent.config.env["PATH"] ?? "",
      ...job.agent.networkEnv,
      NODE_USE_ENV_PROXY: "1",
    },
  });
  if (end.why === "exited" && end.code === 0) return;
  const text = await readJobText(told, owner, mostToldBytes);
  const said = text === "" ? undefined : lfsTold.parse(JSON.parse(text));
  const fail = sourceFailure.bind(undefined, { title, what: url, end });
  if (said === undefined || !("class" in said)) throw fail({ words: job.redact(end.words) });
  const words = `its files of Git LFS cannot be fetched: ${job.redact(said.words)}`;
  throw fail({ words, class: said.class as SourceClass }); // written by our own child
}

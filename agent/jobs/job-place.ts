import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import type { Redactor } from "../logs/redactor.ts";
import { listLeaders } from "../processes/find-child.ts";
import { sweepMarked } from "../processes/sweep-marked.ts";
import { makeWorkspace, removeWorkspace } from "../workspace/workspace.ts";
import { writeWhole } from "../workspace/write-whole.ts";
import type { JobPlace } from "./handler.ts";
import type { JobHost } from "./job-host.ts";
import { type JobRequests, openJobSocket } from "./job-socket.ts";
import { openKeptSecrets } from "./kept-secrets.ts";

export type OpenPlace = JobPlace & {
  /** From the next byte on, the text appears nowhere, not after a take-over either. */
  readonly hide: (secret: string) => void;
  /** Ends whatever of the job still runs and takes its folders away; words for what could not be. */
  readonly close: () => Promise<string[]>;
};

type Host = Pick<JobHost, "config" | "runDir">;
type Means = Pick<JobRequests, "setOutput"> & { readonly redactor: Redactor };

/** The folders and the socket of one execution; those of a former process of the agent, where they are there. */
export async function openJobPlace(
  { config, runDir }: Host,
  executionId: string,
  { setOutput, redactor }: Means,
): Promise<OpenPlace> {
  const secrets = path.join(runDir.path, `${executionId}.job`);
  await mkdir(secrets, { recursive: true, mode: 0o700 });
  const known = path.join(config.workDir, executionId);
  const workspace = existsSync(known) ? known : await makeWorkspace(config.workDir, executionId);
  const bearer = await keepBearer(path.join(secrets, "bearer"));
  redactor.add(bearer);
  const { add: hide } = openKeptSecrets(path.join(secrets, "secrets"), redactor);
  const socket = path.join(secrets, "socket");
  const requests = { setOutput, addSecret: hide };
  const closeSocket = await openJobSocket({ path: socket, bearer }, requests);
  return {
    workspace,
    secrets,
    hide,
    env: { SVC_JOB_SOCKET: socket, SVC_JOB_TOKEN: bearer },
    close: async () => {
      const leaders = listLeaders(runDir.path, executionId);
      const [{ left }] = await Promise.all([
        sweepMarked(executionId, undefined, leaders),
        closeSocket(),
      ]);
      const [kept] = await Promise.all([
        removeWorkspace(config.workDir, executionId),
        rm(secrets, { recursive: true, force: true }),
      ]);
      return [
        ...(left > 0
          ? [`${left} of its processes could not be ended: they hang in the kernel`]
          : []),
        ...(kept === undefined ? [] : [kept]),
      ];
    },
  };
}

/** The same after a restart of the agent: the job's processes have it in their environment. */
async function keepBearer(file: string): Promise<string> {
  const known = await readFile(file, "utf8").catch(() => "");
  if (known !== "") return known;
  const bearer = randomBytes(24).toString("base64url");
  await writeWhole(file, { text: bearer });
  return bearer;
}

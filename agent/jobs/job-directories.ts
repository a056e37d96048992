import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { AgentContext } from "../agent-context.ts";
import { writeAtomically } from "../files/atomic-file.ts";
import { type FileOwner, ownFolder } from "../job-users/job-files.ts";
import type { Redactor } from "../logs/redactor.ts";
import { removeChildFolder } from "../processes/child-files.ts";
import { listLeaders } from "../processes/find-child.ts";
import { sweepMarked } from "../processes/sweep-marked.ts";
import { makeWorkspace, removeWorkspace } from "../workspace/workspace.ts";
import type { JobDirectories } from "./handler.ts";
import { type JobRequests, openJobSocket } from "./job-socket.ts";
import { openKeptSecrets } from "./kept-secrets.ts";

export type OpenDirectories = JobDirectories & {
  /** The execution's token. It survives a restart of the agent, but not of the host. */
  readonly token: string | undefined;
  /** Redacts the text from the next byte on, also after the agent restarts. */
  readonly addSecret: (secret: string) => void;
  /**
   * Ends what still runs of the job and removes its directories; returns messages about what it could not end or
   * remove.
   */
  readonly close: () => Promise<string[]>;
};

type Host = Pick<AgentContext, "config" | "runDir" | "jobUsers" | "jobCgroups">;
type Means = Pick<JobRequests, "setOutput"> & {
  readonly redactor: Redactor;
  readonly owner: FileOwner;
  /** The execution's token, if this process claimed the job. */
  readonly token: string | undefined;
};

/**
 * Opens the directories and the socket of one execution; existing ones of an earlier agent process are used again.
 */
export async function openJobDirectories(
  { config, runDir, jobUsers, jobCgroups }: Host,
  executionId: string,
  { setOutput, redactor, owner, token: claimed }: Means,
): Promise<OpenDirectories> {
  const agentOnly = agentFolder(runDir.path, executionId);
  await mkdir(agentOnly, { recursive: true, mode: 0o700 });
  const secrets = await openSecrets(agentOnly, owner);
  const known = path.join(config.workDir, executionId);
  const workspace = existsSync(known)
    ? known
    : await makeWorkspace(config.workDir, executionId, owner);
  const bearer = await keepBearer(path.join(agentOnly, "bearer"));
  redactor.add(bearer);
  const token = claimed ?? (await readToken(agentOnly));
  if (token !== undefined) redactor.add(token);
  const { add: addSecret } = openKeptSecrets(path.join(agentOnly, "secrets"), redactor);
  const socket = path.join(agentOnly, "socket");
  const requests = { setOutput, addSecret };
  const closeSocket = await openJobSocket({ path: socket, bearer }, requests);
  if (owner !== undefined) await chown(socket, owner, owner);
  return {
    workspace,
    secrets,
    agentOnly,
    owner,
    token,
    addSecret,
    env: { SVC_JOB_SOCKET: socket, SVC_JOB_TOKEN: bearer },
    close: async () => {
      const leaders = listLeaders(runDir.path, executionId);
      const together = await jobCgroups.end(executionId);
      const [{ left }] = await Promise.all([
        sweepMarked(executionId, undefined, leaders),
        closeSocket(),
      ]);
      const hanging = [...together, ...(await jobUsers.end(executionId))].slice(0, 1);
      const [stays] = await Promise.all([
        removeWorkspace(config.workDir, executionId),
        removeChildFolder(agentOnly),
      ]);
      await jobUsers.giveBack(executionId);
      return [
        ...(left > 0
          ? [`${left} of its processes could not be killed: they hang in the kernel`]
          : hanging),
        ...(stays === undefined ? [] : [stays]),
      ];
    },
  };
}

/** The job's own directory in memory, inside the agent's, which the job's user may pass through. */
async function openSecrets(agentOnly: string, owner: FileOwner): Promise<string> {
  if (owner === undefined) return agentOnly;
  await chown(agentOnly, process.geteuid?.() ?? 0, owner);
  await chmod(agentOnly, 0o750);
  const secrets = ownFolder(agentOnly);
  if (existsSync(secrets)) return secrets;
  await mkdir(secrets, { mode: 0o700 });
  await chown(secrets, owner, owner);
  return secrets;
}

/** Stays the same after a restart of the agent: the job's processes have it in their environment. */
async function keepBearer(file: string): Promise<string> {
  const known = await readFile(file, "utf8").catch(() => "");
  if (known !== "") return known;
  const bearer = randomBytes(24).toString("base64url");
  await writeAtomically(file, { text: bearer });
  return bearer;
}

/** Stores the execution's token in the agent's own directory in memory, for an agent that resumes the job. */
export async function storeToken(
  runDir: string,
  executionId: string,
  token: string,
): Promise<void> {
  const agentOnly = agentFolder(runDir, executionId);
  await mkdir(agentOnly, { recursive: true, mode: 0o700 });
  await writeAtomically(path.join(agentOnly, "token"), { text: token });
}

/** Whether an earlier process of the agent stored the execution's token. */
export function hasStoredToken(runDir: string, executionId: string): boolean {
  return existsSync(path.join(agentFolder(runDir, executionId), "token"));
}

/** The token that an earlier process of the agent stored; undefined after a reboot. */
export async function readStoredToken(
  runDir: string,
  executionId: string,
): Promise<string | undefined> {
  return await readToken(agentFolder(runDir, executionId));
}

async function readToken(agentOnly: string): Promise<string | undefined> {
  return (await readFile(path.join(agentOnly, "token"), "utf8").catch(() => "")) || undefined;
}

const agentFolder = (runDir: string, executionId: string): string =>
  path.join(runDir, `${executionId}.job`);

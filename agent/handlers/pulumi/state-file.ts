import { createHash } from "node:crypto";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { getPulumiStateRoute, openPulumiStateRoute } from "../../../shared/api/terraform-state.ts";
import {
  type FileOwner,
  makeJobFolders,
  openJobFile,
  writeJobFile,
} from "../../job-users/job-files.ts";
import type { Job } from "../../jobs/handler.ts";
import type { PulumiProject } from "./project-file.ts";
import { pulumiFailure } from "./pulumi-failure.ts";
import type { PulumiRun } from "./pulumi-run.ts";

/** Where the job's own backend keeps the stack. */
export type StatePlace = { readonly url: string; readonly file: string; readonly root: string };

/** The backend of the job: a folder on its disk, in which pulumi expects this layout. */
export function statePlace(job: Job, project: PulumiProject, run: PulumiRun): StatePlace {
  const root = path.join(job.directories.workspace, "pulumi-state");
  const file = path.join(root, ".pulumi", "stacks", project.name, `${run.stackName}.json`);
  return { url: pathToFileURL(root).href, file, root };
}

/** What the broker says of the workspace: the revision of its state, and its passphrase. */
export async function openAtBroker(
  job: Job,
  { workspaceId }: PulumiRun,
): Promise<{ readonly revision: number; readonly passphrase: string }> {
  const input = { params: { workspace_id: workspaceId }, query: { job_id: job.info.id } };
  const how = { scope: "job", signal: job.signal, token: job.token } as const;
  const { body } = await job.agent.client.call(openPulumiStateRoute, input, how);
  return body;
}

type Bringing = {
  readonly run: PulumiRun;
  readonly project: PulumiProject;
  readonly place: StatePlace;
  /** Of the state at the broker; 0: there is none. */
  readonly revision: number;
};

const mostStateBytes = 64 * 2 ** 20;

/** Brings the state from the broker to the job's backend, or an empty one; answers its digest. Throws JobFailure when it is none of Pulumi's. */
export async function bringState(
  job: Job,
  { run, project, place, revision }: Bringing,
): Promise<string> {
  const { owner } = job.directories;
  const name = `organization/${project.name}/${run.stackName}`;
  const state = revision === 0 ? emptyState(name) : checkpointOf(await read(job, run), name);
  await makeJobFolders([path.dirname(place.file)], owner);
  await writeJobFile(path.join(place.root, ".pulumi", "meta.yaml"), "version: 1\n", owner);
  await writeJobFile(place.file, state, owner);
  return digestOfState(Buffer.from(state));
}

/** Tells states apart, and the broker that one arrived whole: Content-MD5. */
export function digestOfState(bytes: Buffer): string {
  return createHash("md5").update(bytes).digest("base64");
}

async function read(job: Job, { workspaceId }: PulumiRun): Promise<string> {
  const input = { params: { workspace_id: workspaceId }, query: { job_id: job.info.id } };
  const { text } = await job.agent.client.call(getPulumiStateRoute, input, {
    scope: "job",
    signal: job.signal,
    token: job.token,
    answerType: "application/octet-stream",
    mostBytes: mostStateBytes,
  });
  return text;
}

const mostKeptBytes = 256 * 2 ** 20;

/** The state that is in the job's backend now. */
export async function readStateFile(file: string, owner: FileOwner): Promise<Buffer> {
  const handle = await openJobFile(file, owner);
  try {
    const { size } = await handle.stat();
    if (size > mostKeptBytes) throw new Error(`the state has ${size} bytes`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

const emptyState = (stack: string): string =>
  JSON.stringify({ version: 3, checkpoint: { stack, latest: null } });

const deployment = z.looseObject({});
const known = z.union([
  z.looseObject({ checkpoint: z.looseObject({}) }),
  z.looseObject({ version: z.int(), deployment }),
]);

/** A checkpoint as it is; what `pulumi stack export` wrote as one. */
function checkpointOf(text: string, stack: string): string {
  const { data } = known.safeParse(parsed(text));
  if (data === undefined) {
    throw pulumiFailure(
      "The state in the workspace is neither a checkpoint of Pulumi nor what `pulumi stack export` writes. Nothing was changed.",
      { class: "state_invalid" },
    );
  }
  if ("checkpoint" in data) return text;
  const { version, deployment: latest } = data as { version: number; deployment: unknown }; // the union's other form
  return JSON.stringify({ version, checkpoint: { stack, latest } });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

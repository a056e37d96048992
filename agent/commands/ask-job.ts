import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { dirname } from "node:path";
import { text } from "node:stream/consumers";
import { http } from "../client/node-http.ts";
import { pause } from "../client/pause.ts";
import type { Environment } from "../config/environment.ts";
import { ExitError } from "../exit-error.ts";
import { openSocketPath, type SocketPath } from "../paths/socket-path.ts";

const patienceMs = 10_000;
/** As long as an agent may need to be started again. */
const mostAbsenceMs = 60_000;
const betweenMs = 250;

/** Where the job that this runs in can be asked, and by what bearer. */
export type SurroundingJob = { readonly socketPath: string; readonly bearer: string };

/** The job that this runs in, by its variables; an ExitError when there is none. */
export function surroundingJob(env: Environment): SurroundingJob {
  const socketPath = env["SVC_JOB_SOCKET"];
  const bearer = env["SVC_JOB_TOKEN"];
  if (socketPath && bearer) return { socketPath, bearer };
  throw new ExitError("usage", "This command only works inside a job that svc-agent runs.");
}

/**
 * Asks the agent that runs this job, by the job's own socket; while it is away, for a minute: another one takes the job
 * up. An ExitError says why it refused.
 */
export async function askJob(job: SurroundingJob, path: string, body: object): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(body));
  const giveUpAtMs = performance.now() + mostAbsenceMs;
  for (;;) {
    const { status, words } = await ask(job, path, bytes);
    if (status === 204) return;
    const mayCome = (status === undefined || status === 503) && existsSync(dirname(job.socketPath));
    if (!mayCome || performance.now() > giveUpAtMs) throw new ExitError("failed", words);
    await pause(betweenMs);
  }
}

type Answer = { readonly status?: number | undefined; readonly words: string };

/** One answer; without a status when nobody answers. */
async function ask(
  { socketPath, bearer }: SurroundingJob,
  path: string,
  bytes: Buffer,
): Promise<Answer> {
  const headers = { authorization: `Bearer ${bearer}`, "content-length": bytes.length };
  const signal = AbortSignal.timeout(patienceMs);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  let short: SocketPath | undefined;
  try {
    short = openSocketPath(socketPath);
    const means = { socketPath: short.path, path, method: "POST", headers, signal };
    http.request(means).on("response", resolve).on("error", reject).end(bytes);
    const answer = await promise;
    const status = answer.statusCode;
    return { status, words: detailOf(await text(answer)) ?? `The agent answered ${status}.` };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { words: `The agent of this job does not answer (${code ?? message}).` };
  } finally {
    short?.release();
  }
}

/** The text of a file, or of standard input for `-`, without the newline at its very end. */
export async function readValue(file: string): Promise<string> {
  if (file === "-") return withoutNewline(await text(process.stdin));
  try {
    return withoutNewline(await readFile(file, "utf8"));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ExitError("usage", `${file} cannot be read (${code}).`);
  }
}

const withoutNewline = (given: string): string => given.replace(/\r?\n$/, "");

function detailOf(told: string): string | undefined {
  try {
    const { detail } = JSON.parse(told) as { detail?: unknown };
    return typeof detail === "string" ? detail : undefined;
  } catch {
    return undefined;
  }
}

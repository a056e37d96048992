import { type ChildProcess, spawn } from "node:child_process";
import { pause } from "../client/pause.ts";
import type { ApprovalAnswer, ApprovalRequest } from "./approval-request.ts";

const mostSaid = 64 * 1024;
const mostWhy = 500;
const lastWordsMs = 1_000;

/**
 * Runs a program of the operator as the agent's user, with the job on standard input: exit code 0 approves, every
 * other refuses, and its first line of output gives the reason. Returns undefined when it does not end in time or the
 * job is stopped; then its process group is killed.
 */
export async function askProgram(request: ApprovalRequest): Promise<ApprovalAnswer | undefined> {
  const { approver, job, giveUpAtMs } = request;
  const child = start(request);
  const ended = endOf(child);
  const waiting = new AbortController();
  const tooLate = pause(Math.max(0, giveUpAtMs - Date.now()), job.signal, waiting.signal);
  const end = await Promise.race([ended, tooLate]);
  waiting.abort();
  if (end === undefined) {
    kill(child);
    return undefined;
  }
  const [first = ""] = end.said.trim().split("\n");
  const why = job.redact(first).slice(0, mostWhy);
  if (end.code === 0) return { isYes: true, why };
  return { isYes: false, why: end.words ?? (why || `${approver} exited with code ${end.code}`) };
}

function start({ approver, job, text }: ApprovalRequest): ChildProcess {
  const { id, type, operation } = job.info;
  const child = spawn(approver, [], {
    cwd: "/",
    env: {
      PATH: job.agent.config.env["PATH"] ?? "",
      SVC_JOB_ID: id,
      SVC_JOB_TYPE: type,
      SVC_JOB_OPERATION: operation,
    },
    stdio: ["pipe", "pipe", "ignore"],
    detached: true, // a process group of its own
  });
  child.stdin?.on("error", () => {}); // the program need not read its input
  child.stdin?.end(text);
  return child;
}

type End = { readonly code: number | null; readonly said: string; readonly words?: string };

/** Processes that it started may keep its output open long after its end. */
async function endOf(child: ChildProcess): Promise<End> {
  let said = "";
  child.stdout?.on("data", (bytes: Buffer) => {
    if (said.length < mostSaid) said += bytes.toString();
  });
  const { promise, resolve } = Promise.withResolvers<End>();
  const closed = new Promise<void>((done) => child.once("close", done));
  child.once("error", ({ message }) =>
    resolve({ code: null, said, words: `it cannot be run: ${message}` }),
  );
  child.once("exit", (code, signal) => {
    const words = signal === null ? {} : { words: `it was ended by ${signal}` };
    void Promise.race([closed, pause(lastWordsMs)]).then(() => resolve({ code, said, ...words }));
  });
  return await promise;
}

function kill({ pid, stdout }: ChildProcess): void {
  stdout?.destroy();
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // it has ended meanwhile
  }
}

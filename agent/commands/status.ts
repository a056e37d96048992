import { readPresence } from "../paths/data-dir.ts";
import type { AgentStatus } from "../status/agent-status.ts";
import type { CommandCall } from "./agent-command.ts";

const patienceMs = 5_000;

/**
 * Prints the status of the agent of a data directory; returns 0 when ready, 1 when not, 2 when there is none or it
 * does not answer.
 */
export async function status({
  flags,
  readConfig,
  say,
}: Pick<CommandCall, "readConfig" | "say"> & {
  readonly flags: { readonly json: boolean };
}): Promise<number> {
  const { dataDir } = readConfig();
  const presence = await readPresence(dataDir);
  if (presence === undefined) {
    say(`No agent uses the data directory ${dataDir}.`);
    return 2;
  }
  if (presence.watch_url === null) {
    say(
      `An agent runs (pid ${presence.pid}), but its status is not available: it is starting, or its watch-port is 0.`,
    );
    return 2;
  }
  const text = await ask(presence.watch_url).catch((error: unknown) => {
    say(`An agent runs (pid ${presence.pid}), but it does not answer: ${wordsOf(error)}.`);
  });
  if (text === undefined) return 2;
  const told = JSON.parse(text) as AgentStatus; // our own server, on this host
  if (!flags.json) for (const line of linesOf(told)) say(line);
  else say(text.trim());
  return told.is_ready ? 0 : 1;
}

async function ask(watchUrl: string): Promise<string> {
  const signal = AbortSignal.timeout(patienceMs);
  const answer = await fetch(`${watchUrl}/status.json`, { signal });
  return await answer.text();
}

function wordsOf(error: unknown): string {
  const { name, message, cause } = error as Error;
  if (name === "TimeoutError") return `no answer within ${patienceMs / 1000} s`;
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? message;
}

function linesOf(told: AgentStatus): string[] {
  const groups = Object.entries(told.groups).map(
    ([group, { slots, in_use }]) => `${group === "" ? "(none)" : group} ${in_use}/${slots}`,
  );
  const silence = told.silent_s === null ? "never" : `${told.silent_s} s ago`;
  return [
    `agent    ${told.version}, pid ${told.pid}, up ${told.uptime_s} s`,
    `ready    ${told.is_ready ? "yes" : `no: ${told.not_ready.join("; ")}`}`,
    `broker   ${told.broker_url}, heard ${silence}, clock ${told.clock_ahead_ms} ms ahead of it`,
    `runner   ${told.runner_id}`,
    `process  ${told.process_id}${told.why === null ? "" : `, ${told.urgency}: ${told.why}`}`,
    `groups   ${groups.join(", ")}`,
    `jobs     ${told.jobs.length === 0 ? "none" : ""}`,
    ...told.jobs.map(({ job_id, type, group }) => `         ${job_id}  ${type}  ${group}`),
    `waiting  ${told.waiting.results} results, ${told.waiting.log_bytes} bytes of logs`,
    ...told.loops
      .filter(({ is_well }) => !is_well)
      .map(({ name, last_error }) => `failing  ${name}: ${last_error}`),
  ].map((line) => line.trimEnd());
}

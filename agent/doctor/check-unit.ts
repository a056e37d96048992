import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { formatDuration } from "../../shared/duration.ts";
import type { AgentConfig } from "../config/read-config.ts";
import { type DoctorContext, failed, type Found, leftOut, ok, warning } from "./finding.ts";

const run = promisify(execFile);
const unit = "svc-agent.service";
const spareMs = 10_000;
const patienceMs = 5_000;
const spans: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Whether the systemd unit gives the agent enough time to shut down, and leaves jobs alone when it dies. */
export async function checkUnit({ config }: DoctorContext): Promise<Found> {
  const shown = await showUnit();
  if (shown === undefined) return leftOut(`There is no ${unit} here.`);
  return judgeUnit(config, shown);
}

/** Compares the output of `systemctl show` with the agent's settings. */
export function judgeUnit(
  config: Pick<AgentConfig, "drainTimeout" | "cancelTimeout" | "flushTimeout">,
  shown: ReadonlyMap<string, string>,
): Found {
  const takesMs = config.drainTimeout + config.cancelTimeout + config.flushTimeout + spareMs;
  const takes = formatDuration(takesMs * 1e6);
  const givenMs = spanMs(shown.get("TimeoutStopUSec") ?? "");
  if (shown.get("KillMode") !== "process") {
    return failed(
      `${unit} has KillMode=${shown.get("KillMode")}: systemd ends running jobs when the agent dies.`,
      "Set KillMode=process.",
    );
  }
  if (givenMs === undefined) return warning(`${unit} does not say its TimeoutStopSec.`);
  if (givenMs < takesMs) {
    return failed(
      `${unit} gives the agent ${formatDuration(givenMs * 1e6)} to stop; it may take ${takes}.`,
      "Raise TimeoutStopSec, or lower drain-timeout, cancel-timeout or flush-timeout.",
    );
  }
  if (shown.get("Delegate") === "no") {
    return warning(
      `${unit} has Delegate=no: jobs get no cgroups of their own.`,
      "Set Delegate=yes and DelegateSubgroup=agent.",
    );
  }
  return ok(`${unit} gives the agent time enough to stop (${takes}).`);
}

/** Parses a time span of systemd: "1h 30min", "45min", "infinity". */
function spanMs(text: string): number | undefined {
  if (text === "infinity") return Infinity;
  const words = text.split(" ").map((word) => /^(\d+)([a-z]+)$/.exec(word));
  let ms = 0;
  for (const word of words) {
    const unitMs = spans[word?.[2] ?? ""];
    if (unitMs === undefined) return undefined;
    ms += Number(word?.[1]) * unitMs;
  }
  return ms;
}

async function showUnit(): Promise<Map<string, string> | undefined> {
  try {
    const names = "LoadState,KillMode,TimeoutStopUSec,Delegate";
    const args = ["show", unit, `--property=${names}`];
    const { stdout } = await run("systemctl", args, { timeout: patienceMs });
    const shown = new Map(
      stdout.split("\n").map((line) => {
        const at = line.indexOf("=");
        return [line.slice(0, at), line.slice(at + 1)];
      }),
    );
    return shown.get("LoadState") === "loaded" ? shown : undefined;
  } catch {
    return undefined; // without systemd, or if it does not answer
  }
}

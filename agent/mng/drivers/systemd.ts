import { randomUUID } from "node:crypto";
import { mkdir, readlink, rename, symlink } from "node:fs/promises";
import path from "node:path";
import type { AgentConfig } from "../../config/read-config.ts";
import { syncFolder } from "../../files/atomic-file.ts";
import { readPresence } from "../../paths/data-dir.ts";
import { type Driver, type Nudge, Refusal, type Seen } from "../driver.ts";
import { processIdIn } from "../process-id.ts";
import { runCommand } from "../run-command.ts";
import type { Versions } from "../versions.ts";
import { namedVersion, wantedVersion } from "../wanted-version.ts";

const withinMs = 60_000;
const shown = [
  "ActiveState",
  "SubState",
  "MainPID",
  "ExecMainCode",
  "ExecMainStatus",
  "InvocationID",
];
const running: readonly (string | undefined)[] = ["active", "reloading", "deactivating"];

/**
 * The agent as a systemd unit. A version is switched by a symbolic link, which the unit's ExecStart goes through; where
 * the link pointed before the first switch is kept beside the versions.
 */
export function systemdDriver(config: AgentConfig, versions: Versions): Driver {
  const { mngUnit: unit } = config;
  const link = path.resolve(config.mngLink ?? path.join(versions.dir, "current"));
  const { systemctl, show, signal } = makeSystemctl(config);

  const nudges: Readonly<Record<Nudge, () => Promise<unknown>>> = {
    finish: async () => await signal("USR2"),
    // Told by systemctl, it stays ended however it ends; while it ends, a further signal is the agent's own matter.
    stop: async () =>
      (await show()).get("ActiveState") === "deactivating"
        ? await signal("TERM")
        : await systemctl("stop", "--no-block", unit),
    async kill() {
      await systemctl("stop", "--no-block", unit);
      await signal("KILL");
    },
  };

  return {
    name: "systemd",
    wanted: wantedVersion,
    named: namedVersion,
    versionOf: (release) => release || undefined,
    async prepare(release, how) {
      if ((await readlink(link).catch(() => undefined)) === undefined) {
        // No verdict on the version.
        throw new Error(
          `${link} is no symbolic link: let the unit ${unit} start the agent through one`,
        );
      }
      // As the unit starts it: by itself, or by what stands before the link.
      const line = await systemctl("show", unit, "--property=ExecStart");
      return await versions.prepare(release, how, wordsBefore(link, line));
    },
    look: async () => await seenBy(await show(), config.mngAgentDataDir),
    async start(release) {
      await pointLink(link, versions, release);
      await systemctl("reset-failed", unit).catch(() => undefined); // it had not failed
      await systemctl("restart", unit);
    },
    nudge: async (how) => void (await nudges[how]()),
    processId: async () => await processIdIn(config.mngAgentDataDir),
  };
}

/** What the unit's command line has before the link; undefined where the link is none of its words. */
function wordsBefore(link: string, line: string): readonly string[] | undefined {
  const words = /argv\[\]=(.*?) ; /.exec(line)?.[1]?.split(" ") ?? [];
  const at = words.indexOf(link);
  return at < 0 ? undefined : words.slice(0, at);
}

type Systemctl = {
  readonly systemctl: (...args: readonly string[]) => Promise<string>;
  readonly show: () => Promise<ReadonlyMap<string, string>>;
  /** Signals the agent alone, not its jobs. */
  readonly signal: (name: string) => Promise<void>;
};

function makeSystemctl({ mngUnit: unit, mngUnitScope, env }: AgentConfig): Systemctl {
  const scope = mngUnitScope === "user" ? ["--user"] : [];
  const systemctl: Systemctl["systemctl"] = async (...args) =>
    await runCommand("systemctl", [...scope, ...args], { env, timeout: withinMs });
  return {
    systemctl,
    async show() {
      const text = await systemctl("show", unit, `--property=${shown.join(",")}`);
      const lines = text.split("\n").map((line) => {
        const at = line.indexOf("=");
        return [line.slice(0, at), line.slice(at + 1)] as const;
      });
      return new Map(lines);
    },
    async signal(name) {
      const killing = systemctl("kill", "--kill-whom=main", `--signal=${name}`, unit);
      await killing.catch(() => undefined); // it has ended meanwhile
    },
  };
}

/** Points the link at a version; where it pointed at first is kept, and is what the empty release means. */
async function pointLink(link: string, versions: Versions, release: string): Promise<void> {
  const original = path.join(versions.dir, "original");
  const kept = await readlink(original).catch(() => undefined);
  if (release === "") {
    if (kept !== undefined) await replaceLink(link, kept);
    return;
  }
  const program = (await versions.commandOf(release))?.at(-1);
  if (program === undefined) throw new Refusal(`Version ${release} is not in ${versions.dir}.`);
  const present = await readlink(link).catch(() => undefined);
  if (kept === undefined && present !== undefined) await replaceLink(original, present);
  await replaceLink(link, program);
}

async function seenBy(unit: ReadonlyMap<string, string>, dataDir: string): Promise<Seen> {
  const state = unit.get("ActiveState");
  const pid = Number(unit.get("MainPID") ?? 0);
  const isStarting = state === "activating" && unit.get("SubState") !== "auto-restart";
  if (!running.includes(state) && !isStarting) {
    return { isRunning: false, exitCode: exitCodeOf(unit) };
  }
  const presence = await readPresence(dataDir);
  const release = presence?.pid === pid ? presence.version : undefined;
  return { isRunning: true, key: `${unit.get("InvocationID")} ${pid}`, release };
}

const exited = "1";

/** One that ended well may be unloaded, and is then shown as if it had never run: its code is 0. */
function exitCodeOf(unit: ReadonlyMap<string, string>): number {
  const status = Number(unit.get("ExecMainStatus"));
  const [code, state] = [unit.get("ExecMainCode"), unit.get("ActiveState")];
  if (code === undefined || code === "0" || state === "inactive") return state === "failed" ? 1 : 0;
  return code === exited ? status : 128 + status;
}

/** Atomically: whoever starts the program meanwhile gets the former one or the new one. */
async function replaceLink(link: string, target: string): Promise<void> {
  const draft = `${link}.${randomUUID()}`;
  await mkdir(path.dirname(link), { recursive: true });
  await symlink(target, draft);
  await rename(draft, link);
  await syncFolder(path.dirname(link));
}

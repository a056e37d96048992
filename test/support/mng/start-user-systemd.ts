import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { onTestFinished } from "vitest";
import { tool } from "../../tools/find-tool.ts";
import { givenDelegated, powers } from "../agent/given-job-cgroups.ts";
import { until } from "../broker/given-polling.ts";
import { runTool } from "../programs/run-tool.ts";
import { testFolder } from "../run/folder.ts";

/** A service manager of this test's own: the real systemd, as it runs for a user. */
export type UserSystemd = {
  /** What systemctl --user finds it by. */
  readonly env: Readonly<Record<string, string>>;
  readonly systemctl: (...args: readonly string[]) => Promise<string>;
  readonly putUnit: (name: string, text: string) => Promise<void>;
};

/**
 * It only starts where the host was booted with systemd: where it was not, it is shown a folder that says so, in a mount
 * namespace of its own.
 */
const booted =
  'mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system && exec "$0" --user --log-target=null';

/** Starts it for one test, and ends it with all of its units. */
export async function startUserSystemd(): Promise<UserSystemd> {
  const home = await testFolder(0o700);
  const runtime = path.join(home, "run");
  const units = path.join(home, ".config", "systemd", "user");
  await mkdir(runtime, { mode: 0o700 });
  await mkdir(units, { recursive: true });
  const env = { XDG_RUNTIME_DIR: runtime, HOME: home, PATH: process.env["PATH"] ?? "" };
  const unsharing = process.getuid?.() === 0 ? "-m" : "-rm";
  // When it ends it removes every empty cgroup below its own one: without one of its own, those of other tests' jobs.
  const enter = powers.kill ? givenDelegated().enter : [];
  const [command = "", ...args] = [...enter, tool("unshare"), unsharing, "sh", "-c", booted];
  const child = spawn(command, [...args, tool("systemd")], { env, stdio: "ignore" });
  const systemctl = async (...args: readonly string[]): Promise<string> =>
    await runTool("systemctl", ["--user", ...args], { env });
  onTestFinished(async () => {
    await systemctl("exit", "--force").catch(() => undefined);
    child.kill("SIGKILL");
  });
  await until(() => existsSync(path.join(runtime, "systemd", "private")));
  return {
    env: { XDG_RUNTIME_DIR: runtime },
    systemctl,
    putUnit: async (name, text) => {
      await writeFile(path.join(units, name), text);
      await systemctl("daemon-reload");
    },
  };
}

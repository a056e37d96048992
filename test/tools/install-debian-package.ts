import { makeOneAtATime } from "../../agent/files/one-at-a-time.ts";
import { runStep } from "./run-step.ts";
import type { DebianPackage } from "./tool-table.ts";

/** apt lets nobody in while it works. */
const inTurn = makeOneAtATime();

/** Installs a package of Debian for the whole machine, which only root may. */
export async function installDebianPackage({ package: name }: DebianPackage): Promise<void> {
  const advice = `install ${name} by your system's packages`;
  if (process.getuid?.() !== 0) throw new Error(`${name} is not on the PATH: ${advice}.`);
  const apt = async (...args: string[]): Promise<unknown> =>
    await runStep({
      program: "apt-get",
      advice,
      args: ["-qq", ...args],
      cwd: "/",
      env: { DEBIAN_FRONTEND: "noninteractive" },
    });
  await inTurn(async () => {
    await apt("update");
    await apt("install", "--yes", "--no-install-recommends", name);
  });
}

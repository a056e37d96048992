import { writeFile } from "node:fs/promises";
import path from "node:path";
import { parseDuration } from "../../../shared/duration.ts";
import { agentProgram } from "../programs/present-programs.ts";
import { testFolder } from "../run/folder.ts";
import { type AgentProcessOptions } from "./start-agent-process.ts";

/** The clock of an agent's host, as nobody may set that of this one. */
export type HostClock = {
  /** Runs an agent that sees this clock. */
  readonly agentCommand: NonNullable<AgentProcessOptions["command"]>;
  /** It goes wrong by so much more, or the host has slept for so long; with a minus it is set back. */
  readonly advance: (duration: string) => Promise<void>;
};

/** A clock that is right, so far. */
export async function hostClock(): Promise<HostClock> {
  const file = path.join(await testFolder(0o777), "ahead-ms");
  let aheadMs = 0;
  const advance = async (duration: string): Promise<void> => {
    const lengthMs = (parseDuration(duration.replace("-", "")) ?? 0) / 1e6;
    aheadMs += duration.startsWith("-") ? -lengthMs : lengthMs;
    await writeFile(file, String(aheadMs));
  };
  await advance("0s");
  const source = `
    import { readFileSync } from "node:fs";
    import { open } from "node:fs/promises";
    const aheadMs = () => Number(readFileSync(${JSON.stringify(file)}, "utf8"));
    const now = Date.now;
    Date.now = () => now() + aheadMs();
    const any = await open("/dev/null");
    const files = Object.getPrototypeOf(any);
    await any.close();
    const stat = files.stat;
    files.stat = async function (...how) {
      const found = await stat.apply(this, how);
      found.mtimeMs = Number(found.mtimeMs) + aheadMs();
      return found;
    };`;
  const preload = `data:text/javascript,${encodeURIComponent(source)}`;
  return { agentCommand: [process.execPath, "--import", preload, agentProgram], advance };
}

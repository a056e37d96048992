import { writeFile } from "node:fs/promises";
import path from "node:path";
import { parseDuration } from "../../shared/duration.ts";
import { testFolder } from "./folder.ts";
import { type AgentProcessOptions, agentSource } from "./start-agent-process.ts";

/** The clock of an agent's host, as nobody may set that of this one. */
export type HostClock = {
  /** Runs an agent that sees this clock. */
  readonly agentCommand: NonNullable<AgentProcessOptions["command"]>;
  /** It goes wrong by so much more, or the host has slept for so long. */
  readonly advance: (duration: string) => Promise<void>;
};

/** A clock that is right, so far. */
export async function hostClock(): Promise<HostClock> {
  const file = path.join(await testFolder(0o777), "ahead-ms");
  let aheadMs = 0;
  const advance = async (duration: string): Promise<void> => {
    aheadMs += (parseDuration(duration) ?? 0) / 1e6;
    await writeFile(file, String(aheadMs));
  };
  await advance("0s");
  const source = `
    import { readFileSync } from "node:fs";
    const now = Date.now;
    Date.now = () => now() + Number(readFileSync(${JSON.stringify(file)}, "utf8"));`;
  const preload = `data:text/javascript,${encodeURIComponent(source)}`;
  return { agentCommand: [process.execPath, "--import", preload, agentSource], advance };
}

import { version } from "../../shared/version.ts";
import type { CommandCall } from "./agent-command.ts";

/** Says the versions. */
export async function showVersion({ flags, say }: CommandCall): Promise<number> {
  const all = {
    version,
    node: process.versions.node,
    platform: process.platform,
    arch: process.arch,
  };
  if (flags["json"] === undefined) {
    say(`svc-agent ${version} (Node ${all.node}, ${all.platform} ${all.arch})`);
  } else say(JSON.stringify(all));
  return await Promise.resolve(0);
}

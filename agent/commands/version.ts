import { version } from "../../shared/version.ts";

/** Prints the versions of the agent and its platform. */
export async function showVersion(isJson: boolean, say: (line: string) => void): Promise<void> {
  const all = {
    version,
    node: process.versions.node,
    platform: process.platform,
    arch: process.arch,
  };
  if (!isJson) {
    say(`svc-agent ${version} (Node ${all.node}, ${all.platform} ${all.arch})`);
  } else say(JSON.stringify(all));
  return await Promise.resolve();
}

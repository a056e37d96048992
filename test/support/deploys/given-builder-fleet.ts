import { startDevRegistry } from "../../../cli/dev-registry/start-dev-registry.ts";
import { givenRunnerWithAgent } from "../agent/given-jobs.ts";
import { givenFleet } from "../broker/given-fleet.ts";
import { afterFile } from "../run/after-file.ts";
import { testFolder } from "../run/folder.ts";

/** A broker with the registry of `svc dev`, and an agent that builds, for a file. */
export async function givenBuilderFleet(
  settings: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
) {
  const folder = await testFolder();
  const registry = await startDevRegistry({ folder, port: 0, limits: { freeBytes: 0 } });
  afterFile(registry.stop);
  const fleet = await givenFleet({
    SVC_REGISTRY: `http://${registry.host}`,
    SVC_REGISTRY_AUTH: "token",
  });
  registry.trust(fleet.broker.url);
  const builder = await givenRunnerWithAgent(fleet, settings, env);
  await fleet.db`
    update runner_groups set type = 'org', owner_type = 'org' where id = ${builder.groupId}`;
  return { fleet, builder };
}

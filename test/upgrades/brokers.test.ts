import { beforeAll, describe, expect, test } from "vitest";
import { givenUpgrade, type Upgrade } from "../support/upgrades/given-upgrade.ts";
import {
  type Build,
  buildsAfter,
  keptNames,
  present,
  unpackBuild,
} from "../support/upgrades/kept-builds.ts";
import { proveAgent } from "../support/upgrades/prove-agent.ts";

describe.each(keptNames)("the broker of %s", (name) => {
  let old: Build;
  let later: Build[];
  beforeAll(async () => {
    old = await unpackBuild(name);
    later = await buildsAfter(name);
  });

  /** Through the builds between, as docs/upgrades.md says. */
  const migrate = async ({ svc }: Upgrade): Promise<void> => {
    for (const build of [...later, present]) await svc(build, "migrate", "up");
  };

  test("serves the present agent, on a database of its own making", async () => {
    const given = await givenUpgrade(old);
    await proveAgent(given, present);
  });

  test("goes on while the present one migrates, beside the present broker, for old and present agents", async () => {
    const given = await givenUpgrade(old);
    const waiting = await given.enqueue([{ name: "one", interpolated_command: "echo early" }]);
    await migrate(given);
    const { url: newUrl } = await given.broker(present);
    await proveAgent(given, old); // it takes the job from before, too
    await given.became(waiting, "finished");
    await proveAgent(given, present);
    await proveAgent(given, present, newUrl);
  });

  test("refuses to start on the present schema, and says what to run instead", async () => {
    const given = await givenUpgrade(old);
    await migrate(given);
    await expect(given.broker(old)).rejects.toThrow(
      /which this version does not know: run the newer/,
    );
  });
});

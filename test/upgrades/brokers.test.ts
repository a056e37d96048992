import { beforeAll, describe, expect, test } from "vitest";
import { givenUpgrade } from "../support/upgrades/given-upgrade.ts";
import { type Build, keptNames, present, unpackBuild } from "../support/upgrades/kept-builds.ts";
import { proveAgent } from "../support/upgrades/prove-agent.ts";

describe.each(keptNames)("the broker of %s", { timeout: 240_000 }, (name) => {
  let old: Build;
  beforeAll(async () => {
    old = await unpackBuild(name);
  });

  test("serves the present agent, on a database of its own making", async () => {
    const given = await givenUpgrade(old);
    await proveAgent(given, present);
  });

  test("goes on while the present one migrates, beside the present broker, for old and present agents", async () => {
    const given = await givenUpgrade(old);
    const waiting = await given.enqueue([{ name: "one", interpolated_command: "echo early" }]);
    await given.svc(present, "migrate", "up");
    const { url: newUrl } = await given.broker(present);
    await proveAgent(given, old); // it takes the job from before, too
    await given.became(waiting, "finished");
    await proveAgent(given, present);
    await proveAgent(given, present, newUrl);
  });

  test("refuses to start on the present schema, and says what to run instead", async () => {
    const given = await givenUpgrade(old);
    await given.svc(present, "migrate", "up");
    await expect(given.broker(old)).rejects.toThrow(
      /which this version does not know: run the newer/,
    );
  });
});

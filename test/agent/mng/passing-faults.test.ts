import { readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { agentOfVersion, putVersion } from "../../support/mng/agent-versions.ts";
import { givenManagedHost } from "../../support/mng/given-managed-host.ts";
import { testFolder } from "../../support/run/folder.ts";
import { makeOpenPgpSigner } from "../../support/terraform/openpgp-signer.ts";

let fleet: Fleet;
let next: string;
beforeAll(async () => {
  fleet = await givenFleet();
  next = await agentOfVersion("7.1.0");
});

/** A management process on whose disk a version cannot be put, for now: a file is where its folder would be. */
async function setup() {
  const host = await givenManagedHost(fleet);
  const dataDir = await testFolder(0o755);
  const key = path.join(dataDir, "key.pub");
  await writeFile(key, makeOpenPgpSigner().publicKey);
  const obstacle = path.join(host.versionsDir, "7.1.0");
  await writeFile(obstacle, "");
  const start = () =>
    host.startMng({
      "data-dir": dataDir,
      "mng-releases": "http://127.0.0.1:9",
      "mng-release-key": key,
    });
  const journal = async () =>
    JSON.parse(await readFile(path.join(dataDir, "management.json"), "utf8")) as {
      readonly rejected: unknown;
      readonly ended: readonly { readonly key: string; readonly outcome: { result: string } }[];
    };
  return { host, start, journal, obstacle };
}

describe("what may pass", () => {
  test("is tried some times, then the operation ends and others have their turn", async () => {
    const { host, start, journal } = await setup();
    const mng = start();
    const first = await host.agentUp();
    const metadata = { version: "7.1.0" };
    const update = await host.enqueue({ type: "mng-runner-update-version", metadata });
    const restart = await host.enqueue({ type: "mng-runner-restart" });
    const { outputs, description } = await host.ended(update);
    expect(outputs).toMatchObject({ result: "failed" });
    expect(description).toMatch(/^7\.1\.0 could not be made ready: EEXIST/);
    const tries = mng.log.filter(({ msg }) => msg === "a release could not be made ready");
    expect(tries).toHaveLength(7);
    expect((await host.ended(restart)).outputs).toMatchObject({ result: "restarted" });
    expect((await journal()).rejected).toBeNull();
    await host.agentUp(first.id);
  });

  test("is tried again later for a version of the runner's settings, and then works", async () => {
    const { host, start, journal, obstacle } = await setup();
    start();
    const first = await host.agentUp();
    await host.changeSettings({ binary_version: "7.1.0" });
    await until(async () => (await journal()).ended.at(-1)?.outcome.result === "failed");
    expect((await host.run({ type: "mng-runner-restart" })).outputs).toMatchObject({
      result: "restarted",
    });
    const made = await testFolder(0o755);
    await putVersion(made, "7.1.0", next);
    await rm(obstacle);
    const put = async (): Promise<void> => await rename(path.join(made, "7.1.0"), obstacle);
    await until(
      async () =>
        await put().then(
          () => true,
          () => false, // a download that will fail has a file there
        ),
    );
    await until(async () => (await host.live("install")).some((it) => it.version === "7.1.0"));
    expect((await host.agentUp(first.id)).version).toBe("7.1.0");
  });
});

import { writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { canChangeUsers, givenJobUsers, leftOut } from "../../support/agent/given-job-users.ts";
import { action, givenKillableAgent, wait } from "../../support/agent/given-killable-agent.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { startRegistryDouble } from "../../support/sources/start-registry-double.ts";
import { tarArchive } from "../../support/sources/tar-archive.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

const module = gzipSync(tarArchive([{ name: "what", text: "module" }]));
const isBlob = (asked: string): boolean => asked.includes("/blobs/");

describe("a source whose agent is killed", () => {
  test("while it is fetched, goes on being fetched, once", async () => {
    const registry = await startRegistryDouble();
    registry.push("acme/app", "v1", [{ bytes: module }]);
    const { enqueue, ended, first, again, kill, mark } = await givenKillableAgent(fleet);
    const letGo = registry.hold();
    const source = { oci: `${registry.host}/acme/app:v1` };
    const command = `cp what ${mark("what")}; echo "what=$(cat what)" >>$SVC_ACTIONS_OUTPUT_FILEPATH`;
    const id = await enqueue(action([{ source, interpolated_command: command }]));
    await until(() => registry.asked.some(isBlob));
    await kill(first);
    letGo();
    await again();
    expect(await ended(id)).toMatchObject({ status: "finished", outputs: { what: "module" } });
    expect(registry.asked.filter(isBlob)).toHaveLength(1);
  });

  test("after it was fetched, is not fetched again", async () => {
    const registry = await startRegistryDouble();
    registry.push("acme/app", "v1", [{ bytes: module }]);
    const runner = await givenKillableAgent(fleet);
    const source = { oci: `${registry.host}/acme/app:v1` };
    const first = `touch ${runner.mark("begun")}; ${wait(runner.mark("go"))}`;
    const steps = [
      { source, interpolated_command: first },
      { source, interpolated_command: 'echo "what=$(cat what)" >>$SVC_ACTIONS_OUTPUT_FILEPATH' },
    ];
    const id = await runner.enqueue(action(steps));
    await runner.marked("begun");
    await runner.kill(runner.first);
    await runner.again();
    await writeFile(runner.mark("go"), "");
    expect(await runner.ended(id)).toMatchObject({
      status: "finished",
      outputs: { what: "module" },
    });
    expect(registry.asked.filter(isBlob)).toHaveLength(1);
  });
});

const asRoot = canChangeUsers ? describe : () => {};
if (!canChangeUsers) console.warn(leftOut);

asRoot("a source of a job that is another user", () => {
  test("is fetched and unpacked as that user", async () => {
    const registry = await startRegistryDouble({ kind: "basic", login: "me:pass-word-9" });
    registry.push("acme/app", "v1", [{ bytes: module }]);
    const { runSteps } = await givenJobUsers(fleet, [59_760, 59_761]);
    const auth = { username: "me", password: "pass-word-9" };
    const command = `test $(id -u) = $(stat -c %u what) && echo "who=$(id -u) $(stat -c %u .)" >>$SVC_ACTIONS_OUTPUT_FILEPATH`;
    for (const source of [
      { oci: { url: `${registry.host}/acme/app:v1`, auth } },
      { archive: module.toString("base64") },
    ]) {
      const ended = await runSteps([{ source, interpolated_command: command }]);
      expect(ended.description).toBe("");
      expect(ended.outputs["who"]).toMatch(/^(5976[01]) \1$/);
    }
  });
});

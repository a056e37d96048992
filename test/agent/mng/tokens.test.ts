import { readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { givenManagedHost } from "../../support/mng/given-managed-host.ts";
import { givenToken } from "../../support/rows/given-token.ts";

let fleet: Fleet;
beforeAll(async () => {
  fleet = await givenFleet();
});

const read = async (file: string): Promise<string> => (await readFile(file, "utf8")).trim();
const statusOf = async (token: string): Promise<number> =>
  (await fleet.broker.call("GET /v1/tokens/current", { token })).status;

describe("the tokens of a managed host", () => {
  test("are rotated by a job: new ones in their files, the former ones still valid", async () => {
    const host = await givenManagedHost(fleet);
    const own = path.join(host.folder, "token");
    const agents = path.join(host.folder, "agent-token");
    host.startMng({ "mng-agent-token-file": agents });
    // The agent has no token of its own: it gets that of the management process.
    await until(async () => (await read(agents)) === host.token);
    const job = await host.run({ type: "mng-fetch-token" });
    expect(job).toMatchObject({ status: "finished", outputs: { own: "rotated", agent: "shared" } });
    const made = await read(own);
    expect(made).not.toBe(host.token);
    expect(await read(agents)).toBe(made);
    for (const file of [own, agents]) expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await statusOf(made)).toBe(200);
    expect(await statusOf(host.token)).toBe(200);
    expect(JSON.stringify(job)).not.toContain(made);
    expect((await host.logOf(job.id)).join("\n")).not.toContain(made);
    // The next rotation is by the new one, which is in use by now.
    expect(await host.run({ type: "mng-fetch-token" })).toMatchObject({ status: "finished" });
    expect(await read(own)).not.toBe(made);
  });

  test("of an agent of its own are rotated beside, and replaced when the broker refuses them", async () => {
    const host = await givenManagedHost(fleet);
    const agents = path.join(host.folder, "agent-token");
    const others = await givenToken(fleet.db, host);
    await writeFile(agents, others, { mode: 0o600 });
    host.startMng({ "mng-agent-token-file": agents });
    const job = await host.run({ type: "mng-fetch-token" });
    expect(job.outputs).toMatchObject({ agent: "rotated" });
    expect(await read(agents)).not.toBe(others);
    await writeFile(agents, await givenToken(fleet.db, { orgId: host.orgId }), { mode: 0o600 });
    const refused = await host.run({ type: "mng-fetch-token" });
    expect(refused.description).toContain("another runner's");
    await writeFile(agents, "svc_rt_nonsense", { mode: 0o600 });
    expect((await host.run({ type: "mng-fetch-token" })).outputs).toMatchObject({
      agent: "shared",
    });
  });

  test("are not rotated where the new one could not be kept", async () => {
    const host = await givenManagedHost(fleet);
    host.startMng();
    await until(async () => (await host.live("mng")).length === 1);
    await rm(path.join(host.folder, "token"));
    const job = await host.run({ type: "mng-fetch-token" });
    expect(job).toMatchObject({
      status: "failed",
      result: { error_metadata: { reason: "refused" } },
    });
    expect(await statusOf(host.token)).toBe(200);
  });
});

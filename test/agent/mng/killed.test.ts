import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { NewJob } from "../../../broker/jobs/new-job.ts";
import { version } from "../../../shared/version.ts";
import type { EndedJob } from "../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { agentOfVersion, oddVersion, putVersion } from "../../support/mng/agent-versions.ts";
import {
  givenManagedHost,
  type ManagedHost,
  type ShownProcess,
} from "../../support/mng/given-managed-host.ts";
import { type KillPoint, killedAt } from "../../support/mng/killed-at.ts";
import { givenToken } from "../../support/rows/given-token.ts";

let fleet: Fleet;
let next: string;

beforeAll(async () => {
  fleet = await givenFleet();
  next = await agentOfVersion("7.1.0");
});

const at = (moment: "written" | "started" | "signalled" | "ending" | "ended", step: string) =>
  ({ at: moment, step }) as const;
const drained = { at: "written", step: "drain", nth: 2 } as const;

const titleOf = (point: KillPoint): string => Object.values(point).join(" ");
const titled = (points: readonly KillPoint[]) =>
  points.map((point) => [titleOf(point), point] as const);

type Scene = {
  readonly host: ManagedHost;
  /** The agent before the job. */
  readonly first: ShownProcess;
  readonly job: EndedJob;
};

type Playing = {
  readonly host: ManagedHost;
  readonly settings?: Readonly<Record<string, string>>;
  readonly metadata?: Readonly<Record<string, string>>;
};

/** A management process does a job, is killed at this point of it, and is started again. */
async function play(
  point: KillPoint,
  type: NonNullable<NewJob["type"]>,
  { host, settings = {}, metadata = {} }: Playing,
): Promise<Scene> {
  const mng = host.startMng(settings, {}, killedAt(point));
  const first = await host.agentUp();
  const jobId = await host.enqueue({ type, metadata });
  expect(await mng.ended).toBe("SIGKILL");
  host.startMng(settings);
  const job = await host.ended(jobId);
  expect((await host.job(jobId)).executions).toHaveLength(1);
  const drafts = (await readdir(host.mngDataDir)).filter((name) => name.endsWith(".tmp"));
  expect(drafts).toEqual([]);
  return { host, first, job };
}

/** One agent, that does jobs, and was started once for the job and not oftener. */
async function expectOneAgent({ host, first }: Scene, runs: string): Promise<void> {
  expect(await host.agentUp(first.id)).toMatchObject({ version: runs });
  expect(await host.run({ type: "noop" })).toMatchObject({ status: "finished" });
  expect(await host.agentPids()).toHaveLength(1);
  expect((await host.journal()).operation).toBeNull();
  expect(await host.everRegistered("install")).toBe(2);
}

describe("a management process that is killed, and started again", () => {
  const switching: readonly KillPoint[] = [
    at("written", "prepare"),
    at("written", "drain"),
    drained,
    at("signalled", "drain"),
    at("written", "start"),
    at("started", "start"),
    at("written", "prove"),
    at("ending", "prove"),
    at("ended", "prove"),
  ];
  test.each(titled(switching))("ends a switch of the version (%s)", async (_, point) => {
    const host = await givenManagedHost(fleet);
    await putVersion(host.versionsDir, "7.1.0", next);
    const metadata = { version: "7.1.0" };
    const scene = await play(point, "mng-runner-update-version", { host, metadata });
    expect(scene.job).toMatchObject({ status: "finished", outputs: { result: "switched" } });
    await expectOneAgent(scene, "7.1.0");
  });

  const goingBack: readonly KillPoint[] = [
    at("written", "back"),
    at("signalled", "back"),
    at("started", "back"),
    at("written", "reprove"),
    at("ending", "reprove"),
    at("ended", "reprove"),
  ];
  test.each(titled(goingBack))("goes back from what does not work (%s)", async (_, point) => {
    const host = await givenManagedHost(fleet);
    const dumb = oddVersion("7.2.0", "setInterval(() => {}, 1000);");
    await putVersion(host.versionsDir, "7.2.0", dumb);
    const scene = await play(point, "mng-runner-update-version", {
      host,
      settings: { "mng-probation": "2s" },
      metadata: { version: "7.2.0" },
    });
    expect(scene.job).toMatchObject({ status: "failed", outputs: { result: "rolled_back" } });
    expect(scene.job.description).toContain("no heartbeat within 2s");
    await expectOneAgent(scene, version);
  });

  // Its steps are those of a switch, which is killed at each.
  const restarting: readonly KillPoint[] = [at("started", "start"), at("ended", "prove")];
  test.each(titled(restarting))("ends a restart (%s)", async (_, point) => {
    const host = await givenManagedHost(fleet);
    const scene = await play(point, "mng-runner-restart", { host });
    expect(scene.job).toMatchObject({ status: "finished", outputs: { result: "restarted" } });
    await expectOneAgent(scene, version);
  });

  const poweringOff: readonly KillPoint[] = [
    at("signalled", "drain"),
    at("written", "power"),
    { at: "commanded", word: "--now" },
  ];
  test.each(titled(poweringOff))("powers the host off (%s)", async (_, point) => {
    const host = await givenManagedHost(fleet);
    const [program, mark] = [path.join(host.folder, "off"), path.join(host.folder, "off.txt")];
    await writeFile(program, `#!/bin/sh\necho "$@" > ${mark}\n`, { mode: 0o755 });
    const settings = { "mng-power-off": "yes", "mng-power-off-command": `${program} --now` };
    const { job } = await play(point, "mng-vm-shut-down", { host, settings });
    expect(job).toMatchObject({ status: "finished", outputs: { result: "powering_off" } });
    await until(() => existsSync(mark));
    expect(await host.agentPids()).toEqual([]);
  });

  const fetching: readonly (readonly [what: string, isShared: boolean, KillPoint])[] = [
    ["before its own new token is kept", true, { at: "before-file", file: "token", nth: 1 }],
    ["when its own new token is kept", true, { at: "after-file", file: "token", nth: 1 }],
    ["before the agent has the new one", true, { at: "before-file", file: "agents", nth: 2 }],
    ["when the agent has the new one", true, { at: "after-file", file: "agents", nth: 2 }],
    ["before the agent's own is kept", false, { at: "before-file", file: "agents", nth: 1 }],
    ["when the agent's own is kept", false, { at: "after-file", file: "agents", nth: 1 }],
  ];
  test.each(fetching)("loses no token (%s)", async (_, isShared, point) => {
    const host = await givenManagedHost(fleet);
    const { files, settings, here } = await givenTokenFiles(host, isShared);
    const { job } = await play(here(point), "mng-fetch-token", { host, settings });
    expect(job).toMatchObject({ status: "finished", outputs: { own: "rotated" } });
    for (const file of files) expect(await tokenIn(file)).toMatchObject(present);
    expect((await readdir(host.folder)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test("gives the agent a present token, when the job that rotated them is over by then", async () => {
    const host = await givenManagedHost(fleet);
    const { files, settings, here } = await givenTokenFiles(host, true);
    const mng = host.startMng(
      settings,
      {},
      killedAt(here({ at: "after-file", file: "token", nth: 1 })),
    );
    await host.agentUp();
    const jobId = await host.enqueue({ type: "mng-fetch-token" });
    await mng.ended;
    await host.operate(`POST /v1/runner-jobs/${jobId}/cancel`);
    host.startMng(settings);
    for (const file of files) await until(async () => (await tokenIn(file)).replaced_by === null);
    expect((await host.job(jobId)).status).toBe("cancelled");
  });
});

const present = { status: 200, replaced_by: null };

/** The token of a management process and that of its agent, which is another or the same. */
async function givenTokenFiles(host: ManagedHost, isShared: boolean) {
  const [own, agents] = [path.join(host.folder, "token"), path.join(host.folder, "agent-token")];
  if (!isShared) await writeFile(agents, await givenToken(fleet.db, host), { mode: 0o600 });
  return {
    files: [own, agents],
    settings: { "mng-agent-token-file": agents },
    here: (point: KillPoint): KillPoint =>
      "file" in point ? { ...point, file: point.file === "token" ? own : agents } : point,
  };
}

/** What the broker says of the token in a file. */
async function tokenIn(file: string): Promise<{ status: number; replaced_by: string | null }> {
  const token = (await readFile(file, "utf8")).trim();
  const { status, body } = await fleet.broker.call<{ replaced_by: string | null }>(
    "GET /v1/tokens/current",
    { token },
  );
  return { status, replaced_by: body.replaced_by };
}

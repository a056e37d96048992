import { beforeAll, describe, expect, test } from "vitest";
import { diskShortage, type DiskSpace } from "../../agent/workspace/disk-space.ts";
import { jobReader } from "../support/agent/given-jobs.ts";
import { action } from "../support/agent/given-killable-agent.ts";
import { givenSmallDisk, watched } from "../support/agent/small-disk.ts";
import { type Fleet, givenFleet } from "../support/broker/given-fleet.ts";
import { until } from "../support/broker/given-polling.ts";
import { faultProxy } from "../support/network/fault-proxy.ts";

const mib = 2 ** 20;
/** The ballast is four MiB of it. */
const disk = { size: "64m", floor: "16MiB", clear: 40 * mib, full: 2 * mib };

let fleet: Fleet;
beforeAll(async () => {
  fleet = await givenFleet();
});

/** Agents look at their disk every few seconds. */

type Process = { readonly warnings: readonly string[] };
type Waits = { readonly reasons: readonly { readonly code: string; readonly detail: string }[] };

describe("a full disk", () => {
  test("stops claims before a job comes to harm, is told to everybody, and lets claims go on when it has room", async () => {
    const runner = await fleet.addRunner();
    const small = await givenSmallDisk(disk.size, {
      url: fleet.broker.url,
      token: runner.token,
      settings: { "min-free-disk": disk.floor, "watch-port": "auto" },
    });
    const { agent, dataDir } = small;
    await runner.became(await runner.enqueue(), "finished"); // it works, and has a claim parked
    await small.leaveFree(disk.full);
    const jobId = await runner.enqueue(); // a claim that was parked before the disk filled may bring it

    const words = `disk is full: ${dataDir} has `;
    await expect.poll(() => watched(agent, "/readyz")).toContain(words);
    expect(await watched(agent, "/metrics")).toMatch(/^svc_agent_up 0$/m);
    const left = /^svc_agent_disk_free_bytes\{place="data"\} (\d+)$/m;
    expect(Number(left.exec(await watched(agent, "/metrics"))?.[1])).toBeLessThan(16 * mib);
    const read = async <T>(what: string): Promise<T> =>
      (await fleet.broker.call<T>(what, { token: runner.operatorToken })).body;
    const { runnerId } = runner;
    const warnings = async (): Promise<string> => {
      const page = await read<{ items: Process[] }>(`GET /v1/runners/${runnerId}/processes`);
      return page.items.flatMap((one) => one.warnings).join();
    };
    await expect.poll(warnings).toContain(`takes no jobs: ${words}`);
    const why = async (): Promise<string> => {
      const waits = await read<Waits | null>(`GET /v1/runner-jobs/${jobId}/why`);
      return (waits?.reasons ?? []).map(({ code, detail }) => `${code}: ${detail}`).join();
    };
    await expect.poll(why).toContain("process-takes-none: process prc_");
    expect(await why()).toContain(`takes no jobs: ${words}`);

    await small.leaveFree(disk.clear);
    const { executions } = await runner.became(jobId, "finished");
    const begun = executions.filter(({ status }) => status !== "not-attempted");
    expect(begun.map(({ status }) => status)).toEqual(["finished"]);
    await expect.poll(warnings).not.toContain("takes no jobs");
    expect(await watched(agent, "/metrics")).toMatch(/^svc_agent_up 1$/m);
    const told = agent.said.log.map(({ msg }) => msg);
    expect(told).toContain("takes no jobs");
    expect(told).toContain("takes jobs again");
  });

  test("is known to the broker of an agent that starts on it, and does not keep it from starting", async () => {
    const runner = await fleet.addRunner();
    const small = await givenSmallDisk(disk.size, {
      url: fleet.broker.url,
      token: runner.token,
      settings: { "min-free-disk": disk.floor, "watch-port": "auto" },
    });
    await runner.became(await runner.enqueue(), "finished");
    await small.leaveFree(0);
    const registered = (): number =>
      small.agent.said.log.filter(({ msg }) => msg === "agent started").length;
    await small.killAndAwaitNext();
    await until(() => registered() === 2);
    const { runnerId } = runner;
    const warnings = async (): Promise<string> => {
      const what = `GET /v1/runners/${runnerId}/processes`;
      const { body } = await fleet.broker.call<{ items: Process[] }>(what, {
        token: runner.operatorToken,
      });
      return body.items.flatMap((one) => one.warnings).join();
    };
    await expect.poll(warnings).toContain("takes no jobs: disk is full");
  });

  test("that fills while a job runs fails it with the cause, and its end outlives the agent", async () => {
    const runner = await fleet.addRunner();
    const proxy = await faultProxy(fleet.broker.url);
    const small = await givenSmallDisk(disk.size, {
      url: proxy.url,
      token: runner.token,
    });
    const { ended } = jobReader(fleet, runner);
    proxy.fail("POST /finish", "hang");
    const script = `head -c 100M /dev/zero >${small.dataDir}/fill; echo "it is full"; exit 3`;
    const id = await runner.enqueue(action([{ name: "fill", interpolated_command: script }]));
    await until(() => proxy.seen("POST /finish").length > 0);
    expect(small.freeBytes()).toBeLessThanOrEqual(5 * mib); // the ballast, and a log that was sent
    expect((await small.list("results")).filter((name) => name.endsWith(".json"))).toHaveLength(1);
    expect(await small.list(".")).not.toContain("ballast"); // the result has its room
    await small.killAndAwaitNext();
    proxy.mend();
    const { status, description, result } = await ended(id);
    expect({ status, description }).toEqual({
      status: "failed",
      description: expect.stringContaining("disk of its working directory is full") as string,
    });
    expect(result?.error_metadata).toMatchObject({ reason: "disk_full" });
    expect((await runner.job(id)).executions).toHaveLength(1);
  });
});

describe("the floor", () => {
  const place = (bytes: number, files = 100): DiskSpace => ({
    name: "data",
    dir: "/there",
    bytes,
    files,
    floor: { bytes: 100 * mib, files: 100 },
  });

  test("is to be passed by a tenth before there is room again", () => {
    expect(diskShortage(place(100 * mib), false)).toBeUndefined();
    expect(diskShortage(place(99 * mib), false)).toBe(
      "disk is full: /there has 99 MiB free, the minimum is 100 MiB (min-free-disk)",
    );
    expect(diskShortage(place(109 * mib, 200), true)).toContain("the minimum is 100 MiB");
    expect(diskShortage(place(110 * mib, 200), true)).toBeUndefined();
  });

  test("counts files where the file system does", () => {
    expect(diskShortage(place(200 * mib, 99), false)).toBe(
      "disk is full: /there has 99 free inodes, the minimum is 100 (min-free-inodes)",
    );
    expect(diskShortage(place(200 * mib, Number.POSITIVE_INFINITY), true)).toBeUndefined();
  });
});

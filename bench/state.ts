import { type IncomingMessage, request } from "node:http";
import type { Workspace } from "../shared/api/terraform-workspaces.ts";
import { send } from "../test/support/broker/broker.ts";
import { backendPath, terraformLock } from "../test/support/workspaces/given-workspace.ts";
import type { Bench } from "./support/bench.ts";
import { quantile } from "./support/figures.ts";
import { givenFleet } from "./support/given-fleet.ts";
import { cpuSeconds } from "./support/process-cpu.ts";
import { residentBytes, resetPeak } from "./support/process-memory.ts";
import { repeatFor } from "./support/run-clients.ts";
import { withStage } from "./support/stage.ts";

const stateBytes = 50_000_000;
const megabyte = 1_000_000;
const leastMbPerS = 50;
const mostGrowthMb = 100;

/**
 * A state of 50 MB written as terraform writes it, and read back: parsed, compressed, sealed and stored in parts.
 * How far the broker's resident memory rises meanwhile tells whether it is ever held as a whole.
 */
export const state: Bench = {
  what: "a 50 MB terraform state written and read; the broker's memory meanwhile",
  run: async ({ seconds, warmUpS, scale }, tell) => {
    await withStage(async (stage) => {
      const { adminToken: token } = await givenFleet(stage.db, 1, 1);
      const broker = await stage.startBroker();
      const made = await send<Workspace>(broker.url, "POST /v1/terraform-workspaces", {
        token,
        body: {},
      });
      const { id } = made.body;
      const lock = terraformLock();
      await send(broker.url, `POST /v1/terraform-workspaces/${id}/lock`, { token, body: lock });
      const url = broker.url + backendPath(id, lock.ID);
      const resources = resourcesText(stateBytes * scale);
      let serial = 0;
      const once = async (): Promise<Run> => {
        const body = stateOf(++serial, resources);
        const [writeMs, writeCpuMs] = await timed(broker.pid, () => transfer(url, token, body));
        const [readMs, readCpuMs] = await timed(broker.pid, () => transfer(url, token));
        return { writeMs, readMs, writeCpuMs, readCpuMs, bytes: body.length };
      };
      await repeatFor(warmUpS, once);
      resetPeak(broker.pid);
      const before = residentBytes(broker.pid) / megabyte;
      const runs = await repeatFor(seconds, once);
      const growth = residentBytes(broker.pid, "VmHWM") / megabyte - before;
      const speed = (pick: (run: Run) => number) =>
        quantile(
          runs.map((run) => run.bytes / megabyte / (pick(run) / 1000)),
          0.5,
        );
      const target = { atLeast: leastMbPerS };
      const note = `${runs.length} times, ${Math.round((runs[0]?.bytes ?? 0) / megabyte)} MB each`;
      tell({
        figure: "written, median",
        value: speed((run) => run.writeMs),
        unit: "MB/s",
        target,
        note,
      });
      tell({
        figure: "read, median",
        value: speed((run) => run.readMs),
        unit: "MB/s",
        target,
        note,
      });
      const cpu = (pick: (run: Run) => number) => quantile(runs.map(pick), 0.5);
      tell({
        figure: "CPU of the broker, a write",
        value: cpu((run) => run.writeCpuMs),
        unit: "ms",
      });
      tell({ figure: "CPU of the broker, a read", value: cpu((run) => run.readCpuMs), unit: "ms" });
      tell({
        figure: "growth of the broker's resident memory, peak",
        value: Math.max(growth, 0),
        unit: "MB",
        target: { atMost: mostGrowthMb },
        note: `from ${Math.round(before)} MB after the warm-up`,
      });
    });
  },
};

/** Resources as a provider fills them: much that repeats, and ids that do not. */
function resourcesText(bytes: number): string {
  const texts: string[] = [];
  for (let length = 0; length < bytes;) {
    const text = JSON.stringify(
      {
        mode: "managed",
        type: "aws_iam_policy",
        name: `policy_${texts.length}`,
        provider: 'provider["registry.terraform.io/hashicorp/aws"]',
        instances: [
          {
            schema_version: 0,
            attributes: {
              arn: `arn:aws:iam::123456789012:policy/${crypto.randomUUID()}`,
              id: crypto.randomUUID(),
              policy: JSON.stringify({
                Statement: [{ Sid: crypto.randomUUID(), Effect: "Allow" }],
              }),
              tags: { owner: "platform", "cost-center": "1234", hash: crypto.randomUUID() },
            },
            sensitive_attributes: [],
          },
        ],
      },
      undefined,
      2,
    );
    texts.push(text);
    length += text.length;
  }
  return texts.join(",\n");
}

function stateOf(serial: number, resources: string): Buffer {
  return Buffer.from(
    `{"version":4,"terraform_version":"1.11.4","serial":${serial},"lineage":"bench","outputs":{},"resources":[${resources}]}`,
  );
}

function transfer(url: string, token: string, body?: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && {
        "content-type": "application/json",
        "content-length": body.length,
      }),
    };
    const method = body === undefined ? "GET" : "POST";
    const onAnswer = (answer: IncomingMessage): void => {
      answer.resume();
      answer.once("end", () => {
        if (answer.statusCode === 200) resolve();
        else reject(new Error(`the broker answered ${answer.statusCode ?? 0}`));
      });
    };
    request(url, { method, headers }, onAnswer).once("error", reject).end(body);
  });
}

type Run = Readonly<Record<"writeMs" | "readMs" | "writeCpuMs" | "readCpuMs" | "bytes", number>>;

/** How long it took, and how much of a core the broker. */
async function timed(pid: number, act: () => Promise<void>): Promise<[ms: number, cpuMs: number]> {
  const [startedAtMs, cpuBefore] = [performance.now(), cpuSeconds(pid)];
  await act();
  return [performance.now() - startedAtMs, (cpuSeconds(pid) - cpuBefore) * 1000];
}

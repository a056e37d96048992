import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { execa } from "execa";
import { beforeAll, describe, expect, test } from "vitest";
import { givenSignalsApi } from "../support/queues/signals-api.ts";
import { afterFile } from "../support/run/after-file.ts";
import { patiently } from "../support/run/folder.ts";

const root = path.join(import.meta.dirname, "..", "..");
const tsc = path.join(root, "node_modules", ".bin", "tsc");
/** Node's own folder first: npm and what it runs would take an older one. */
const env = { PATH: `${path.dirname(process.execPath)}:${process.env["PATH"]}` };

/** A user's program: what it must not be able to write is marked, and does not compile without the mark. */
const program = `
import { type ClaimedSignal, createClient, SvcError, verifyWebhook, Worker } from "@svc/client";

const [url = "", token = "", queue = ""] = process.argv.slice(2);
const client = createClient({ url, token, timeoutMs: 60_000 });
const params = { queue_id: queue };
const body = { type: "work", signal: { n: 21 } };
const filed = await client.post("/v1/queues/{queue_id}/signals", { params, body });

const worker = new Worker({
  client,
  queue,
  handle: ({ signal }: ClaimedSignal) => {
    void worker.stop();
    return { twice: Number(signal["n"]) * 2 };
  },
});
await worker.run();

const read = await client.get("/v1/signals/{signal_id}", { params: { signal_id: filed.id } });
const listed: string[] = [];
for await (const { id } of client.list("/v1/queues", { query: { limit: 1 } })) listed.push(id);
const codeOf = (error: unknown): string => (error instanceof SvcError ? error.code : "none");
const codes = [
  await client.waitForJob("job_00000000000000000000000000").then(({ status }) => status, codeOf),
  await client.waitForWorkflow("wfl_00000000000000000000000000").then(({ name }) => name, codeOf),
];
try {
  verifyWebhook(new Uint8Array(), new Headers(), "secret").sentAt.getTime();
} catch (error) {
  codes.push(codeOf(error));
}
const tries: (string | undefined)[] = [];
const refused = createClient({
  url,
  retries: 1,
  fetch: (to) => {
    tries.push(to.split("/").at(-1));
    return Promise.resolve(new Response(null, { status: 503, headers: { "retry-after": "0" } }));
  },
});
await refused.post("/v1/queues/{queue_id}/signals", { params, body }).catch(codeOf);
await refused.post("/v1/queues/{queue_id}/purge", { params }).catch(codeOf);
console.log(JSON.stringify({ tries, status: read.status.status, result: read.result, listed, codes }));

export const wrong = [
  // @ts-expect-error there is no such path
  () => client.get("/v1/nothing"),
  // @ts-expect-error it has no such method
  () => client.delete("/v1/runner-jobs"),
  // @ts-expect-error it needs its params
  () => client.get("/v1/signals/{signal_id}"),
  // @ts-expect-error it needs its body
  () => client.post("/v1/queues/{queue_id}/signals", { params }),
  // @ts-expect-error its body has no such member
  () => client.post("/v1/queues/{queue_id}/signals", { params, body: { ...body, sort: "x" } }),
  // @ts-expect-error it is not a list
  () => client.list("/v1/signals/{signal_id}", { params: { signal_id: filed.id } }),
  // @ts-expect-error its answer is whole
  () => client.list("/v1/roles"),
  // @ts-expect-error its answer is whole
  () => client.list("/v1/stats/runners"),
  // @ts-expect-error it would be answered once
  () => client.followLog("lgs_1", { query: { wait: "1s" } }),
];
`;

let folder: string;
let tarball: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(await realpath(tmpdir()), "svc-client-"));
  afterFile(async () => await rm(folder, { ...patiently, force: true }));
  const pack = ["pack", "--workspace", "client", "--pack-destination", folder, "--json"];
  // Only what the build makes is packed.
  await rm(path.join(root, "client", "dist"), { recursive: true, force: true });
  const { stdout } = await execa("npm", pack, { cwd: root, env });
  const file = /svc-client-[\d.]+\.tgz/.exec(stdout)?.[0] ?? "";
  tarball = path.join(folder, file);
});

describe("the client's package", () => {
  test("is as publint and arethetypeswrong want one", async () => {
    for (const check of ["publint", "attw"]) {
      const line = ["run", check, "--workspace", "client", "--", tarball];
      const { exitCode, all } = await execa("npm", line, {
        cwd: root,
        env,
        all: true,
        reject: false,
      });
      expect([exitCode, exitCode === 0 ? "" : all]).toEqual([0, ""]);
    }
  });

  test("installs alone, compiles strictly with what its README shows, and works with a broker", async () => {
    const manifest = { name: "user", private: true, type: "module" };
    await writeFile(path.join(folder, "package.json"), JSON.stringify(manifest));
    await execa("npm", ["install", tarball, "--offline", "--no-audit"], { cwd: folder, env });
    await writeFile(path.join(folder, "program.ts"), program);
    await writeFile(path.join(folder, "quick-start.ts"), await quickStart());
    await writeFile(path.join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
    const compiled = await execa(tsc, [], { cwd: folder, reject: false });
    expect(compiled.stdout).toBe("");

    const { broker, token, mine } = await givenSignalsApi();
    const { queueId } = await mine();
    const args = ["program.ts", broker.url, token, queueId];
    const { stdout } = await execa(process.execPath, args, { cwd: folder });
    expect(JSON.parse(stdout)).toEqual({
      tries: ["signals", "signals", "purge"],
      status: "finished",
      result: { twice: 42 },
      listed: [queueId],
      codes: ["job_not_found", "workflow_not_found", "webhook_unsigned"],
    });
  });
});

const tsconfig = {
  compilerOptions: {
    target: "es2024",
    lib: ["es2024"],
    module: "nodenext",
    noEmit: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noUnusedLocals: true,
    types: ["node"],
    typeRoots: [path.join(root, "node_modules", "@types")],
  },
  include: ["*.ts"],
};

/** The README's first program, with what it takes for granted. */
async function quickStart(): Promise<string> {
  const readme = await readFile(path.join(root, "client", "README.md"), "utf8");
  const [, code = ""] = /```ts\n([^]*?)```/.exec(readme) ?? [];
  expect(code.trim().split("\n").length).toBeLessThanOrEqual(10);
  return `${code}\ndeclare const runner_id: string;\ndeclare const queue: string;\n`;
}

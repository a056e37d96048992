import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chown, readFile, stat } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeStepOutputs, takeOutputFile } from "../../../agent/handlers/actions/step-outputs.ts";
import { writeJobFile } from "../../../agent/job-users/job-files.ts";
import { openJobSocket } from "../../../agent/jobs/job-socket.ts";
import { openKeptSecrets } from "../../../agent/jobs/kept-secrets.ts";
import { makeNeedleSet } from "../../../agent/logs/needle-set.ts";
import { makeRedactor } from "../../../agent/logs/redactor.ts";
import { canChangeUsers } from "../../support/agent/given-job-users.ts";
import { testFolder } from "../../support/run/folder.ts";

describe("a script that means to wear its agent down", () => {
  test("tells so many secrets, and so long ones, as can be looked for, and hears of the next", async () => {
    const file = path.join(await testFolder(0o700), "secrets");
    const redactor = makeRedactor([]);
    const secrets = openKeptSecrets(file, redactor);
    for (let nth = 0; nth < 500; nth++) secrets.add(`a-secret-of-the-job-${nth}.`);
    const before = redactor.knownCount();
    expect(() => secrets.add("one-too-many-of-them")).toThrow("This secret is not hidden");
    secrets.add("a-secret-of-the-job-7."); // it is known
    expect(() => openKeptSecrets(file, makeRedactor([])).add("another-one")).toThrow("too many");
    const other = openKeptSecrets(`${file}-2`, redactor);
    expect(() => other.add("x".repeat(65 * 1024))).toThrow("the limit is 64 KiB");
    expect(redactor.knownCount()).toBe(before);
  });

  test("or a plan with thousands, is looked through all the same", () => {
    // What ten thousand secrets are in all encodings.
    const needles = Array.from(
      { length: 200_000 },
      (_, at) => `n${at.toString(36).padStart(7, "0")}`,
    );
    const found: string[] = [];
    const bytes = Buffer.from(`before ${needles[4_711]} after`);
    const set = makeNeedleSet({ needles, unescaped: [] }, []);
    set.scan(bytes, { isLast: true }, (start, end) =>
      found.push(bytes.toString("latin1", start, end)),
    );
    expect(found).toEqual([needles[4_711]]);
  });

  test("has so many connections to its socket, and no more", async () => {
    const socket = path.join(await testFolder(0o700), "socket");
    const requests = { setOutput: async () => {}, addSecret: () => {} };
    const close = await openJobSocket({ path: socket, bearer: "b" }, requests);
    onTestFinished(close);
    let closed = 0;
    const clients = Array.from({ length: 40 }, () => {
      const client = net.connect(socket);
      client.on("error", () => {}).once("close", () => (closed += 1));
      return client;
    });
    await expect.poll(() => closed).toBe(8);
    for (const client of clients) client.destroy();
    const later = async (): Promise<string> => {
      const client = net.connect(socket).on("error", () => {});
      client.end("POST /outputs HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n");
      const [bytes] = (await Promise.race([once(client, "data"), once(client, "close")])) as [
        unknown,
      ];
      return String(bytes);
    };
    await expect.poll(later).toContain("401");
  });

  test("gives an outputs file without an end that says to be empty", async () => {
    const outputs = makeStepOutputs();
    const endless = { file: "/proc/kallsyms", owner: undefined };
    expect((await stat(endless.file)).size).toBe(0);
    expect((await readFile(endless.file)).length).toBeGreaterThan(2 ** 21);
    await expect(takeOutputFile(outputs, "s", endless)).rejects.toThrow(
      "it grew while it was read",
    );
  });

  test("puts a pipe that nobody reads, or a folder, where the agent is about to write", async () => {
    const folder = await testFolder(0o777);
    const owner = canChangeUsers ? 59_310 : undefined;
    if (owner !== undefined) await chown(folder, owner, owner);
    const file = path.join(folder, "outputs.json");
    for (const trap of ["mkfifo", "mkdir", "ln -s /dev/full"]) {
      execFileSync("sh", ["-c", `${trap} "$0"`, `${file}.new`]);
      await writeJobFile(file, `after ${trap}`, undefined);
      expect(await readFile(file, "utf8")).toBe(`after ${trap}`);
      execFileSync("sh", ["-c", `${trap} "$0"`, `${file}.new`]);
      await writeJobFile(file, `as its user after ${trap}`, owner);
      expect(await readFile(file, "utf8")).toBe(`as its user after ${trap}`);
    }
  });
});

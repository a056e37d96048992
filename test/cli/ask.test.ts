import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, writeFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { testFolder } from "../support/run/folder.ts";

const program = `
  const { ask } = await import(${JSON.stringify(new URL("../../cli/output/ask.ts", import.meta.url).href)});
  process.stdout.write(String(await ask("Really? ")));
`;

/** Asks in a process whose standard input is this file. */
async function askWith(file: string): Promise<{ code: number; out: string; err: string }> {
  const input = openSync(file, "r");
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: [input, "pipe", "pipe"],
  });
  closeSync(input);
  const [, stdout, stderr] = child.stdio;
  const [out, err, [code]] = await Promise.all([
    stdout === null ? "" : text(stdout),
    stderr === null ? "" : text(stderr),
    once(child, "close") as Promise<[number]>,
  ]);
  return { code, out, err };
}

test.each([
  ["yes\n", "true"],
  ["no\n", "false"],
  ["y\n", "false"],
])("a file that says %j is an answer", async (said, answer) => {
  const file = path.join(await testFolder(), "answer");
  writeFileSync(file, said);
  expect(await askWith(file)).toMatchObject({ code: 0, out: answer });
});

test("with nothing to read nobody answered, and that is no yes", async () => {
  const asked = await askWith("/dev/null");
  expect(asked).toMatchObject({ code: 0, out: "false" });
  expect(asked.err).toBe("Really? \nNobody answered.\n");
});

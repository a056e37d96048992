import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { emptyDatabase } from "../support/database/database.ts";
import { compileCache, svcProgram, svcSource } from "../support/programs/present-programs.ts";
import { startSvc } from "../support/programs/svc.ts";
import { testFolder } from "../support/run/folder.ts";

/** What of the README is not run here, and why. */
const leftOut: readonly (readonly [line: RegExp, why: string])[] = [
  [/^npm ci && npm start/, "this test has it started already, with a database of its own"],
  [/^npm ci && npm run check/, "it would run this test again"],
  [/terraform apply/, "needs terraform: dev.test.ts runs it where that is"],
  [/manifest diff|helm upgrade/, "needs a cluster: by-agent tests of this folder have one"],
  [/^svc-agent/, "an agent on a customer's host"],
  [/^(?:export|echo "k1)/, "settings of production"],
  [
    /^\.\/svc (?:migrate up|token create|broker|runner create)/,
    "is done to a database in production",
  ],
];

const shownRunner = /run_01m7z0dkhfpgvvdwwn1rqbkz9c/;

/** A receiver that takes what it gets, in the place of the README's. */
async function startReceiver(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
}

/** Every line that the README has somebody type, from first to last. */
async function typedLines(): Promise<string[]> {
  const blocks = [...(await readFile("README.md", "utf8")).matchAll(/^```(\w+)\n([^]*?)^```/gm)];
  const prompts: Readonly<Record<string, RegExp>> = {
    sh: /^(?=\S)/,
    console: /^\$ /,
    text: /^ {2}(?=\.\/svc )/, // what svc dev offers
  };
  return blocks.flatMap(([, language = "", text = ""]) => {
    const prompt = prompts[language];
    if (prompt === undefined) throw new Error(`The README has a block of ${language}.`);
    const lines = text.split("\n").filter((line) => prompt.test(line));
    return lines.map((line) => line.replace(prompt, ""));
  });
}

/** As one shell takes it: a person's yes, and Ctrl-C for what is watched as soon as it shows something. */
function asRun(line: string, n: number): string {
  const isWatch = / --watch\b/.test(line);
  const watched = `{ ${line}\n} > watched-${n} 2>&1 & pid=$!
while [ ! -s watched-${n} ] && kill -0 $pid; do sleep 0.1; done
kill $pid; cat watched-${n}`;
  const typed = isWatch ? watched : `{ ${line}\n} <<< yes`;
  return `echo "@@ $(cat <<'LINE'\n${line}\nLINE\n)"\n${typed}\ncode=$?\nif [ $code != 0 ]; then echo "@@ ended with $code"; exit 1; fi`;
}

test("the README works as it is printed, from first to last line, with the agent of svc dev", async () => {
  const [dataDir, folder] = [await testFolder(), await testFolder()];
  const database = { DATABASE_URL: (await emptyDatabase()).url };
  const args = ["dev", "--port", "0", "--data-dir", dataDir];
  const dev = startSvc(args, { env: database, main: svcSource });
  await expect.poll(() => dev.said.out + dev.said.err).toContain("Ctrl-C stops it");
  const runner = /^ {2}runner {8}(run_\w+)$/m.exec(dev.said.out)?.[1] ?? "";
  // The built program in the launcher's place starts with half the work.
  const launcher = path.join(folder, "svc");
  await writeFile(launcher, `#!/bin/sh\nexec '${process.execPath}' '${svcProgram}' "$@"\n`);
  await chmod(launcher, 0o755);
  await symlink(path.resolve("examples"), path.join(folder, "examples"));

  const lines = await typedLines();
  const unused = leftOut.filter(([which]) => !lines.some((line) => which.test(line)));
  expect(unused).toEqual([]);
  const run = lines.filter((line) => !leftOut.some(([which]) => which.test(line)));
  expect(run.length).toBeGreaterThan(25);
  const receiver = await startReceiver();
  const here = (line: string): string =>
    line.replace(shownRunner, runner).replace("https://example.com/hooks", receiver);
  const script = run.map((line, n) => asRun(here(line), n)).join("\n");
  const shell = spawn("bash", ["-c", script], {
    cwd: folder,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: compileCache,
      XDG_CONFIG_HOME: folder,
      SVC_DATA_DIR: dataDir,
    },
  });
  onTestFinished(() => void process.kill(-(shell.pid ?? 0), "SIGKILL")); // it left one that listens
  let said = "";
  for (const stream of [shell.stdout, shell.stderr])
    stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(shell, "exit")) as [number | null];
  const fault = code === 0 ? "" : said.slice(said.lastIndexOf("@@ ./svc"));
  expect({ code, fault }).toEqual({ code: 0, fault: "" });
  expect(said).toContain("@@ ./svc runner drain");
  dev.kill("SIGINT");
  expect(await dev.ended).toMatchObject({ code: 0 });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { memoryFolder } from "../../agent/hide-token.ts";
import { sweepPassedTokens } from "../../agent/paths/sweep-passed-tokens.ts";
import { mintToken } from "../../shared/token.ts";
import { agentProgram } from "../support/programs/present-programs.ts";
import { testFolder } from "../support/run/folder.ts";

/** Files in memory that have the token, and whatever folder an agent has made for one since. */
function tracesOf(token: string): string[] {
  const folders = readdirSync(memoryFolder()).filter((name) => name.startsWith("svc-agent-"));
  return folders.filter((name) => {
    try {
      return readFileSync(path.join(memoryFolder(), name, "token"), "utf8").includes(token);
    } catch {
      return false;
    }
  });
}

type Killed = { readonly by: readonly string[]; readonly token: string };

async function start({
  by: [program = "", ...first],
  token,
}: Killed): Promise<number | string | null> {
  const args = ["doctor", "--broker-url", "http://127.0.0.1:9", "--data-dir", await testFolder()];
  const env = { PATH: process.env["PATH"], SVC_AGENT_TOKEN: token };
  const child = spawn(program, [...first, agentProgram, ...args], { env, stdio: "ignore" });
  await once(child, "close");
  return child.exitCode ?? child.signalCode;
}

const preloaded = (script: string): readonly string[] => [
  process.execPath,
  "--import",
  `data:text/javascript,${encodeURIComponent(script)}`,
];
const die = "process.kill(process.pid, 'SIGKILL')";

describe("a token from the environment", () => {
  test.each([
    ["before it becomes another", `process.execve = () => ${die}`],
    ["when it has become another", `if (process.env.SVC_AGENT_TOKEN_ONCE !== undefined) ${die}`],
  ])("stays in no file of an agent that is killed %s", async (_, script) => {
    const token = mintToken("rt");
    expect(await start({ by: preloaded(script), token })).toBe("SIGKILL");
    expect(tracesOf(token)).toEqual([]);
  });

  test("stays in no file whenever the agent is killed", async () => {
    const token = mintToken("rt");
    for (let nth = 0; nth < 12; nth += 1) {
      const afterS = (0.05 + Math.random() * 0.9).toFixed(3);
      await start({ by: ["timeout", "-s", "KILL", afterS, process.execPath], token });
      expect(tracesOf(token)).toEqual([]);
    }
  });

  test("reaches the agent, whose standard input has nothing else", async () => {
    const script = `process.on("exit", () => {
      const { readFileSync, readlinkSync } = process.getBuiltinModule("node:fs");
      if (process.platform === "linux" && readlinkSync("/proc/self/fd/0") !== "/dev/null") ${die};
      if (readFileSync(0).length > 0) ${die};
    })`;
    expect(await start({ by: preloaded(script), token: mintToken("rt") })).toBe(1); // there is no broker
  });

  test("that an earlier version left is taken away, and nothing else", async () => {
    const folder = await testFolder();
    const leave = (name: string, mode: number, ageS: number): void => {
      const own = path.join(folder, name);
      mkdirSync(own);
      const file = path.join(own, "token");
      writeFileSync(file, "svc_rt_x", { mode });
      chmodSync(own, 0o700);
      const at = Date.now() / 1_000 - ageS;
      utimesSync(file, at, at);
    };
    leave("svc-agent-Ab12Cd", 0o600, 3_600);
    leave("svc-agent-young1", 0o600, 5);
    leave("svc-agent-other1", 0o644, 3_600);
    leave("svc-agent-0123456789ab", 0o600, 3_600); // a run directory
    leave("svc-agent-more12", 0o600, 3_600);
    writeFileSync(path.join(folder, "svc-agent-more12", "else"), "");
    leave("svc-agent-await1", 0o600, 3_600);
    const awaited = path.join(folder, "svc-agent-await1", "token");
    const env = { SVC_AGENT_TOKEN_ONCE: awaited };
    const waiting = spawn(process.execPath, ["-e", "process.stdin.resume()"], { env });
    await once(waiting, "spawn");
    expect(await sweepPassedTokens(folder)).toBe(1);
    waiting.stdin.end();
    await once(waiting, "close");
    expect(readdirSync(folder).sort()).toEqual(
      ["0123456789ab", "await1", "more12", "other1", "young1"].map((end) => `svc-agent-${end}`),
    );
  });
});

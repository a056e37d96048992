import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type AgentConfig, readConfig } from "./read-config.ts";

function configFile(text: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), "svc-agent-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "agent.conf");
  writeFileSync(file, text);
  return file;
}

const levelOf = ({ logLevel, sources }: AgentConfig): string[] => [logLevel, sources["log-level"]];

describe("a setting", () => {
  const config = configFile.bind(undefined, "# who speaks\nlog-level = warn\n");

  test("is the flag's before the environment's", () => {
    const env = { SVC_AGENT_LOG_LEVEL: "error" };
    const read = readConfig({ "log-level": "debug", config: config() }, env);
    expect(levelOf(read)).toEqual(["debug", "flag"]);
  });

  test("is the environment's before the file's", () => {
    const read = readConfig({ config: config() }, { SVC_AGENT_LOG_LEVEL: "error" });
    expect(levelOf(read)).toEqual(["error", "environment"]);
  });

  test("is the file's before the default", () => {
    expect(levelOf(readConfig({ config: config() }, {}))).toEqual(["warn", "file"]);
    expect(levelOf(readConfig({}, {}))).toEqual(["info", "default"]);
  });

  test("that is empty in the environment is absent", () => {
    expect(levelOf(readConfig({}, { SVC_AGENT_LOG_LEVEL: "" }))).toEqual(["info", "default"]);
  });

  test("that is wrong is named as it was given, without its value", () => {
    const read = (): unknown => readConfig({ "broker-url": "hunter2" }, { SVC_AGENT_GROUPS: "x" });
    expect(read).toThrow(
      "--broker-url must be an http or https URL; SVC_AGENT_GROUPS has an unknown job group",
    );
    expect(read).not.toThrow("hunter2");
  });
});

describe("what is unknown", () => {
  test("in the environment is named with the nearest known", () => {
    const { warnings } = readConfig({}, { SVC_AGENT_TOKN_FILE: "x", SVC_AGENT_STEP: "1" });
    expect(warnings).toEqual([
      "Unknown setting SVC_AGENT_TOKN_FILE. Did you mean SVC_AGENT_TOKEN_FILE?",
    ]);
  });

  test("in the file is named with the nearest known", () => {
    const config = configFile("brokr-url = http://127.0.0.1:1\n");
    const { warnings } = readConfig({ config }, {});
    expect(warnings).toEqual([
      `${config} has an unknown setting "brokr-url". Did you mean broker-url?`,
    ]);
  });
});

test("a token is never read from a flag or the file", () => {
  const config = configFile("token = svc_rt_x\n");
  expect(readConfig({ token: "svc_rt_x", config }, {}).token).toBeUndefined();
  expect(readConfig({}, { SVC_AGENT_TOKEN: "svc_rt_x" }).token).toBe("svc_rt_x");
});

test("the environment is handed on without the agent's own settings", () => {
  const { env } = readConfig({}, { PATH: "/bin", SVC_AGENT_TOKEN: "x", SVC_AGENT_DATA_DIR: "/x" });
  expect(env).toEqual({ PATH: "/bin" });
});

test("groups are read with their slots", () => {
  const groupsOf = (groups: string): unknown => readConfig({ groups }, {}).groups;
  expect(groupsOf("deploy=2, actions")).toEqual({ deploy: 2, actions: 1 });
  expect(() => groupsOf("deplyo=1")).toThrow("did you mean deploy?");
  expect(() => groupsOf("deploy=many")).toThrow("number from 0 to 100");
});

test.each([
  ["no sign", "line 1"],
  ["log-level = info\nlog-level = warn", "duplicate"],
])("a file with %j is refused", (text, words) => {
  const config = configFile(text);
  expect(() => readConfig({ config }, {})).toThrow(words);
});

import { describe, expect, test } from "vitest";
import { type SettingName, settings, variableOf } from "../../agent/config/settings.ts";
import { parseDurationMs } from "../../shared/duration.ts";
import { readRootFile } from "../support/run/source-files.ts";

/** What a unit says, by name; a name that is there twice keeps its last value. */
async function unit(name: string): Promise<Map<string, string>> {
  const text = await readRootFile(`deploy/${name}.service`);
  return new Map(
    [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, key = "", value = ""]) => [key, value]),
  );
}

const secondsOf = (given = ""): number =>
  (parseDurationMs(given.replace("min", "m")) ?? NaN) / 1000;
const defaultS = (name: "drain-timeout" | "cancel-timeout" | "flush-timeout"): number =>
  secondsOf(settings[name].byDefault);

describe("svc-agent.service", async () => {
  const agent = await unit("svc-agent");

  test("waits as long as the agent takes to go down, and ten seconds more", () => {
    const takesS =
      defaultS("drain-timeout") + defaultS("cancel-timeout") + defaultS("flush-timeout");
    expect(takesS).toBeGreaterThan(60);
    expect(secondsOf(agent.get("TimeoutStopSec"))).toBeGreaterThanOrEqual(takesS + 10);
  });

  test("leaves running jobs alone when the agent dies", () => {
    expect(agent.get("KillMode")).toBe("process");
    expect(agent.get("OOMPolicy")).toBe("continue");
    expect(agent.get("RuntimeDirectoryPreserve")).toBe("yes");
  });

  test("hands it the cgroups below its own, and puts it beside those of jobs", () => {
    expect(agent.get("Delegate")).toBe("yes");
    expect(agent.get("DelegateSubgroup")).toBe("agent");
    expect(agent.get("ProtectControlGroups")).toBe("no");
  });

  test("starts it again but where it would end the same way", () => {
    expect(agent.get("Restart")).toBe("on-failure");
    expect(agent.get("RestartPreventExitStatus")).toBe("64 77 78");
    expect(agent.get("SuccessExitStatus")).toBe("130 131 143");
  });

  test("gives it settings that there are", () => {
    const given = (agent.get("Environment") ?? "").split(" ").map((pair) => pair.split("=")[0]);
    const known = Object.keys(settings).map((name) => variableOf(name as SettingName)); // its keys
    expect(given.length).toBe(3);
    expect(given.filter((name) => !known.includes(name ?? ""))).toEqual([]);
  });
});

describe("users of jobs", async () => {
  const agent = await unit("svc-agent");
  const [, range = ""] = /SVC_AGENT_JOB_USER=(\S+)/.exec(agent.get("Environment") ?? "") ?? [];

  test("are the same in the unit, for systemd-sysusers and in the image", async () => {
    const { first, last } = settings["job-user"].schema.parse(range);
    const text = await readRootFile("deploy/svc-agent.sysusers.conf");
    const made = [...text.matchAll(/^u svc-job-(\d+) (\d+) .* \/usr\/sbin\/nologin$/gm)];
    const numbers = Array.from({ length: last - first + 1 }, (_, at) => `${first + at}`);
    expect(made.map(([, , number]) => number)).toEqual(numbers);
    expect(made.every(([, name, number]) => name === number)).toBe(true);
    const image = await readRootFile("Dockerfile.agent");
    expect(image).toContain(`seq ${first} ${last}`);
    expect(image).toContain(`SVC_AGENT_JOB_USER-${range}`);
  });

  test("can be become, and their folders passed through", () => {
    expect(agent.get("User")).toBe("root");
    expect(agent.get("StateDirectoryMode")).toBe("0711");
    expect(agent.get("RuntimeDirectoryMode")).toBe("0711");
    for (const right of ["SETUID", "SETGID", "CHOWN", "KILL", "DAC_OVERRIDE"]) {
      expect(agent.get("CapabilityBoundingSet")).toContain(`CAP_${right}`);
    }
  });
});

describe("svc-broker.service", async () => {
  const broker = await unit("svc-broker");

  test("waits longer than the broker takes to stop", async () => {
    const [, ms = ""] = /stopWithinMs = ([\d_]+)/.exec(await readRootFile("broker/main.ts")) ?? [];
    const stopS = Number(ms.replaceAll("_", "")) / 1000;
    expect(stopS).toBe(25);
    expect(secondsOf(broker.get("TimeoutStopSec"))).toBeGreaterThan(stopS);
  });

  test("goes on when the system ends one of its child processes", () => {
    expect(broker.get("OOMPolicy")).toBe("continue");
  });

  test("calls public addresses only, unless its settings say otherwise", async () => {
    const lines = (await readRootFile("deploy/svc-broker.service")).split("\n");
    const strict = lines.indexOf("Environment=SVC_EGRESS=strict");
    expect(strict).toBeGreaterThan(0);
    expect(lines.findIndex((line) => line.startsWith("EnvironmentFile="))).toBeGreaterThan(strict);
  });
});

import { describe, expect, test } from "vitest";
import { allowedEnv } from "./allowed-env.ts";

const places = { home: "/work/home", tmp: "/work/tmp" };

describe("a child's environment", () => {
  test("holds of the agent's own only what the list allows", () => {
    const agent = {
      PATH: "/opt/bin:/usr/bin",
      LC_ALL: "C",
      HTTPS_PROXY: "http://proxy:3128",
      SSL_CERT_FILE: "/etc/ca.pem",
      AWS_REGION: "eu-central-1",
      HOME: "/root",
      SVC_AGENT_TOKEN: "secret",
      AWS_SECRET_ACCESS_KEY: "secret",
      GITHUB_TOKEN: "secret",
      LD_PRELOAD: "/evil.so",
      NODE_OPTIONS: "--inspect",
      TF_CLI_ARGS: "-destroy",
      NOTHING: undefined,
    };
    const { env, refused } = allowedEnv({ agent, plan: {}, ...places });
    const list = "169.254.169.254,169.254.170.2,fd00:ec2::254";
    expect(env).toEqual({
      PATH: "/opt/bin:/usr/bin",
      LANG: "C.UTF-8",
      LC_ALL: "C",
      HTTPS_PROXY: "http://proxy:3128",
      NO_PROXY: list,
      no_proxy: list,
      SSL_CERT_FILE: "/etc/ca.pem",
      AWS_REGION: "eu-central-1",
      HOME: "/work/home",
      TMPDIR: "/work/tmp",
    });
    expect(refused).toEqual([]);
  });

  test("holds what the plan asks for, over the agent's own", () => {
    const plan = { PATH: "/plan/bin", HOME: "/plan/home", TF_VAR_size: "3", empty: "" };
    const { env } = allowedEnv({ agent: { PATH: "/usr/bin" }, plan, ...places });
    expect(env).toMatchObject(plan);
  });

  test("has a PATH even when the agent has none", () => {
    expect(allowedEnv({ agent: {}, plan: {}, ...places }).env["PATH"]).toContain("/usr/bin");
  });

  test.each([
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "DYLD_INSERT_LIBRARIES",
    "NODE_OPTIONS",
    "BASH_ENV",
    "TF_CLI_ARGS",
    "TF_CLI_ARGS_plan",
    "TF_REATTACH_PROVIDERS",
    "SVC_AGENT_EXECUTION",
    "SVC_JOB_TOKEN",
    "IFS",
    "a-b",
    "1A",
    "",
    "A=B",
  ])("never holds %s from a plan, and says why", (name) => {
    const { env, refused } = allowedEnv({ agent: {}, plan: { [name]: "x" }, ...places });
    expect(Object.keys(env)).not.toContain(name);
    expect(refused).toEqual([{ name, words: expect.stringMatching(/\w+ \w+/) as string }]);
  });

  test("refuses by the names of brands what it refuses by ours", () => {
    const plan = { ACME_JOB_ID: "x", ACME_AGENT_TOKEN: "x", ACME_MODE: "m", BETA_JOB_ID: "b" };
    const { env, refused } = allowedEnv({ agent: {}, plan, brands: ["acme"], ...places });
    expect(env).toMatchObject({ ACME_MODE: "m", BETA_JOB_ID: "b" });
    const words = "the prefix is reserved for the agent";
    expect(refused).toEqual([
      { name: "ACME_JOB_ID", words },
      { name: "ACME_AGENT_TOKEN", words },
    ]);
    expect(Object.keys(env)).not.toContain("ACME_JOB_ID");
  });

  test("asks no proxy for what only this machine can answer, and keeps what was listed", () => {
    const plan = { https_proxy: "http://p", NO_PROXY: "a.example,169.254.169.254" };
    const { env } = allowedEnv({ agent: {}, plan, ...places });
    expect(env["NO_PROXY"]).toBe("a.example,169.254.169.254,169.254.170.2,fd00:ec2::254");
    expect(env["no_proxy"]).toBe(env["NO_PROXY"]);
  });

  test("lets a star for everything be", () => {
    const agent = { HTTP_PROXY: "http://p", no_proxy: "*" };
    expect(allowedEnv({ agent, plan: {}, ...places }).env["NO_PROXY"]).toBe("*");
  });
});

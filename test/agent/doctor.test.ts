import { chmod, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { doctor } from "../../agent/commands/doctor.ts";
import { readConfig } from "../../agent/config/read-config.ts";
import type { Finding } from "../../agent/doctor/finding.ts";
import { mintToken } from "../../shared/token.ts";
import { startBroker } from "../support/broker/broker.ts";
import { type GivenOperator, givenOperator } from "../support/broker/given-operator.ts";
import { testDatabase } from "../support/database/database.ts";
import {
  impatientBalancer,
  loginPage,
  skewedBroker,
  tunnelProxy,
} from "../support/network/odd-network.ts";
import { tlsCertificate, tlsKey } from "../support/network/tls-certificate.ts";
import { givenToken } from "../support/rows/given-token.ts";
import { testFolder } from "../support/run/folder.ts";

let operator: GivenOperator;
let runnerId: string;
let token: string;
const shortPoll = "1500ms";

beforeAll(async () => {
  operator = await givenOperator();
  runnerId = (await operator.createRunner()).id;
  token = await givenToken(operator.db, { orgId: operator.orgId, runnerId });
});

type Consulted = {
  readonly code: number;
  readonly text: string;
  readonly finding: (check: string) => Finding | undefined;
};

/** What doctor says of an agent with these settings, beside a broker that works. */
async function consult(
  flags: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Consulted> {
  const folder = await testFolder(0o700);
  const tokenFile = path.join(folder, "token");
  await writeFile(tokenFile, env["TOKEN"] ?? token);
  const config = readConfig(
    {
      "broker-url": operator.broker.url,
      "token-file": tokenFile,
      "data-dir": path.join(folder, "data"),
      "run-dir": folder,
      "claim-wait": shortPoll,
      "min-free-disk": "1",
      ...flags,
    },
    { PATH: process.env["PATH"], HOME: folder, ...env },
  );
  let text = "";
  const write = (part: string) => void (text += part);
  const code = await doctor({ config, isJson: true, write });
  const told = JSON.parse(text) as { findings: Finding[]; exit_code: number };
  expect(told.exit_code).toBe(code);
  expect(text).not.toContain(env["TOKEN"] ?? token);
  return { code, text, finding: (check) => told.findings.find((one) => one.check === check) };
}

describe("the doctor of a healthy agent", () => {
  test("finds the whole way to the broker open", async () => {
    const { finding } = await consult();
    for (const check of ["name", "connection", "proxy", "broker", "clock", "token", "disk"]) {
      expect(finding(check)).toMatchObject({ check, verdict: "ok" });
    }
    expect(finding("held poll")).toMatchObject({ verdict: "ok" });
    expect(finding("token")?.words).toContain(runnerId);
    expect(finding("bash")?.words).toContain("version");
  });

  test("names what was given and is not known", async () => {
    const { finding, code } = await consult({}, { SVC_AGENT_TOKN_FILE: "x" });
    expect(finding("settings")).toMatchObject({ verdict: "warning" });
    expect(finding("settings")?.words).toContain("Did you mean SVC_AGENT_TOKEN_FILE?");
    expect(code).toBe(2);
  });

  test("leaves no process behind that could be waited for", async () => {
    await consult();
    const { body } = await operator.call<{ items: { composite_status: { status: string } }[] }>(
      `GET /v1/runners/${runnerId}/processes`,
    );
    const statuses = body.items.map((one) => one.composite_status.status);
    expect(new Set(statuses)).toEqual(new Set(["shut-down"]));
  });

  test("says it in words, a line each", async () => {
    let text = "";
    const folder = await testFolder(0o700);
    const flags = { "data-dir": folder, "run-dir": folder, "broker-url": "http://127.0.0.1:1" };
    const config = readConfig(flags, { PATH: process.env["PATH"], SVC_AGENT_TOKEN: token });
    const write = (part: string) => void (text += part);
    expect(await doctor({ config, isJson: false, write })).toBe(1);
    expect(text).toMatch(/^ok +name +127\.0\.0\.1 is an address already\.$/m);
    expect(text).toMatch(/^FAILED +connection +127\.0\.0\.1:1 refuses connections\.\n +→ Check/m);
    expect(text).toMatch(/^– +held poll +Not tried: see connection\.$/m);
    expect(text).toMatch(/\nAn agent cannot work here: \d of \d+ checks failed\.\n$/);
  });
});

describe("the doctor names a broken way:", () => {
  test("a name without an address", async () => {
    const { code, finding } = await consult({ "broker-url": "https://broker.invalid" });
    expect(code).toBe(1);
    expect(finding("name")?.words).toMatch(/^The name broker\.invalid cannot be resolved \(\w+\)/);
  });

  test("a login page in place of a broker", async () => {
    const { code, finding } = await consult({ "broker-url": await loginPage() });
    expect(code).toBe(1);
    expect(finding("broker")?.words).toContain("is not a broker: 200, text/html");
    expect(finding("token")).toMatchObject({ verdict: "left-out" });
  });

  test("a balancer that cuts polls", async () => {
    const url = await impatientBalancer(operator.broker.url, 5_000); // what is not parked is answered sooner
    const { code, finding } = await consult({ "broker-url": url, "claim-wait": "20s" });
    expect(code).toBe(1);
    expect(finding("token")).toMatchObject({ verdict: "ok" });
    expect(finding("held poll")?.words).toMatch(/^A poll was cut after \d\.\d s: /);
    expect(finding("held poll")?.advice).toContain("raise its timeout to 30 s");
  });

  test("clocks that disagree", async () => {
    const url = await skewedBroker(operator.broker.url, -90_000);
    const { finding } = await consult({ "broker-url": url });
    expect(finding("clock")).toMatchObject({ verdict: "warning" });
    expect(finding("clock")?.words).toMatch(
      /^This host's clock is 1m(29|30|31)s ahead of the broker's\.$/,
    );
  });

  test("a certificate that somebody unknown issued, until it is trusted", async () => {
    const folder = await testFolder();
    const [cert, key] = [path.join(folder, "cert.pem"), path.join(folder, "key.pem")];
    await Promise.all([writeFile(cert, tlsCertificate), writeFile(key, tlsKey)]);
    const env = { SVC_TLS_CERT_FILE: cert, SVC_TLS_KEY_FILE: key };
    const { url } = await startBroker({ url: (await testDatabase()).url, env });
    const stranger = await consult({ "broker-url": url });
    expect(stranger.code).toBe(1);
    expect(stranger.finding("tls")?.words).toMatch(
      /was issued by "localhost", which this host does not trust/,
    );
    expect(stranger.finding("tls")?.advice).toContain("ca-file");
    const trusted = await consult({ "broker-url": url, "ca-file": cert });
    expect(trusted.finding("tls")?.words).toContain('"localhost", trusted because of ca-file');
    expect(trusted.finding("broker")).toMatchObject({ verdict: "ok" });
    // Another database: its broker does not know the token.
    expect(trusted.finding("token")?.words).toBe("The broker does not know the token.");
  });

  test("a proxy that refuses, without its password", async () => {
    const url = "https://127.0.0.2:9";
    const proxy = new URL((await tunnelProxy(407)).url);
    proxy.username = "me";
    proxy.password = "hunter2-secret";
    const { code, finding, text } = await consult(
      { "broker-url": url },
      { HTTPS_PROXY: proxy.href },
    );
    expect(code).toBe(1);
    expect(finding("proxy")?.words).toMatch(/refuses a tunnel to 127\.0\.0\.2:9 \(407\)\.$/);
    expect(text).not.toContain("hunter2");
  });

  test("what is at fault behind a proxy that lets through", async () => {
    const proxy = await tunnelProxy();
    const plain = new URL(operator.broker.url);
    const url = `https://${plain.host}`;
    const { finding } = await consult({ "broker-url": url }, { HTTPS_PROXY: proxy.url });
    expect(finding("proxy")?.words).toContain(`opens a tunnel to ${plain.host}`);
    expect(finding("tls")?.words).toContain("does not speak TLS");
    expect(proxy.asked).toContain(plain.host);
  });
});

describe("the doctor names a token that is", () => {
  test.each([
    ["unknown", mintToken("rt"), "The broker does not know the token."],
    ["mistyped", "svc_rt_abc", "The token is not valid."],
    ["a person's", mintToken("pat"), "It is not a runner token (svc_pat_…)."],
  ])("%s", async (_, TOKEN, words) => {
    const { code, finding } = await consult({}, { TOKEN });
    expect(code).toBe(1);
    expect(finding("token")).toMatchObject({ verdict: "failed", words });
    expect(finding("held poll")).toMatchObject({ verdict: "left-out" });
  });

  test("another runner's", async () => {
    const { id } = await operator.createRunner();
    const { finding } = await consult({ runner: id });
    expect(finding("token")?.words).toBe(`The token is that of ${runnerId}, not of ${id}.`);
  });

  test("one-shot, without spending it", async () => {
    const made = await operator.call<{ secret: string }>(
      `POST /v1/runners/${runnerId}/enrolment-tokens`,
    );
    const { finding } = await consult({}, { TOKEN: made.body.secret });
    expect(finding("token")).toMatchObject({ verdict: "left-out" });
    const spent = await operator.broker.call("POST /v1/enrol", { token: made.body.secret });
    expect(spent.status).toBe(201);
  });
});

describe("the doctor names what the host lacks:", () => {
  test("room", async () => {
    const { code, finding } = await consult({ "min-free-disk": "900000GiB" });
    expect(code).toBe(1);
    expect(finding("disk")?.words).toContain("below the floor of 900000.0 GiB");
  });

  test("memory for output", async () => {
    const { finding } = await consult();
    expect(finding("run dir")?.verdict).toBe("warning");
    expect(finding("run dir")?.advice).toContain("tmpfs");
  });

  test("tools", async () => {
    const { code, finding } = await consult({}, { PATH: await testFolder() });
    expect(code).toBe(1);
    expect(finding("bash")).toMatchObject({ verdict: "failed" });
    expect(finding("helm")).toMatchObject({ verdict: "warning" });
  });

  test("no tools of jobs that are not done here", async () => {
    const settings = { "allow-types": "terraform-deploy", "terraform-releases": "off" };
    const { finding } = await consult(settings, { PATH: await testFolder() });
    expect([finding("bash"), finding("helm")]).toEqual([undefined, undefined]);
    expect(finding("terraform")?.words).toBe("It is not on the PATH: terraform jobs will fail.");
  });

  test("whom it asks before jobs", async () => {
    const folder = await testFolder(0o700);
    const ask = async (place: string) =>
      (await consult({ "require-approval": place })).finding("approval");
    expect(await ask(folder)).toMatchObject({ verdict: "ok" });
    expect(await ask(path.join(folder, "nobody"))).toMatchObject({ verdict: "failed" });
    await chmod(folder, 0o777);
    expect((await ask(folder))?.words).toContain("who could then approve jobs");
  });
});

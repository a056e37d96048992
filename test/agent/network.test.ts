import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { networkOfChildren, openTransport } from "../../agent/client/network.ts";
import { send } from "../../agent/client/send.ts";
import { readConfig } from "../../agent/config/read-config.ts";
import { startAgentProcess } from "../support/agent/start-agent-process.ts";
import { testDataDir } from "../support/agent/start-test-agent.ts";
import { startBroker } from "../support/broker/broker.ts";
import { testDatabase, type TestDatabase } from "../support/database/database.ts";
import { connectProxy } from "../support/network/connect-proxy.ts";
import { endlessPage } from "../support/network/odd-network.ts";
import { tlsCertificate, tlsKey } from "../support/network/tls-certificate.ts";
import { givenToken } from "../support/rows/given-token.ts";
import { givenRunner } from "../support/rows/given.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase();
});

async function givenTlsBroker() {
  const dir = await testDataDir();
  const [certFile, keyFile] = [path.join(dir, "cert.pem"), path.join(dir, "key.pem")];
  await writeFile(certFile, tlsCertificate);
  await writeFile(keyFile, tlsKey);
  const env = { SVC_TLS_CERT_FILE: certFile, SVC_TLS_KEY_FILE: keyFile };
  const { url } = await startBroker({ url: database.url, env });
  return { url, certFile };
}

async function token(): Promise<string> {
  return await givenToken(database.db, await givenRunner(database.db));
}

describe("an agent behind a proxy", () => {
  test("reaches a broker that speaks HTTPS, through a tunnel, trusting the given certificates", async () => {
    const { url, certFile } = await givenTlsBroker();
    const proxy = await connectProxy();
    const agent = await startAgentProcess({
      url,
      env: { SVC_AGENT_TOKEN: await token(), HTTPS_PROXY: proxy.url },
      settings: { "ca-file": certFile },
    });
    await expect.poll(() => agent.said.log.map(({ msg }) => msg)).toContain("agent started");
    expect(new Set(proxy.asked)).toEqual(new Set([new URL(url).host]));
  });

  test("goes past it where NO_PROXY says so", async () => {
    const { url } = await startBroker({ url: database.url });
    const proxy = await connectProxy();
    const agent = await startAgentProcess({
      url,
      env: { SVC_AGENT_TOKEN: await token(), HTTP_PROXY: proxy.url, NO_PROXY: "127.0.0.1" },
    });
    await expect.poll(() => agent.said.log.map(({ msg }) => msg)).toContain("agent started");
    expect(proxy.asked).toEqual([]);
  });
});

test("a broker with a certificate of nobody's is not trusted", async () => {
  const { url } = await givenTlsBroker();
  const agent = await startAgentProcess({
    url,
    env: { SVC_AGENT_TOKEN: await token() },
    settings: { "start-timeout": "300ms" },
  });
  expect(await agent.ended).toBe(69);
  expect(agent.said.err).toContain(
    `The certificate of ${new URL(url).host} is not trusted: this machine does not know who signed it (DEPTH_ZERO_SELF_SIGNED_CERT).`,
  );
  expect(agent.said.err).toContain("give its certificate with ca-file");
});

test("a page without an end is read no further than an answer may be long", async () => {
  const page = await endlessPage();
  const transport = openTransport(readConfig({ "broker-url": page.url }, {}));
  const sending = { method: "GET", path: "/", headers: {}, timeoutMs: 60_000, mostBytes: 2 ** 20 };
  await expect(send(transport, sending)).rejects.toThrow(
    "the response is larger than 1048576 bytes",
  );
  const takenBytes = page.taken();
  expect(takenBytes).toBeLessThan(16 * 2 ** 20); // what the sockets hold besides
  transport.close();
});

test("children find proxies and all certificates where their programs look for them", async () => {
  const dataDir = await testDataDir();
  const caFile = path.join(dataDir, "own.pem");
  await writeFile(caFile, tlsCertificate);
  const env = { HTTPS_PROXY: "http://proxy:3128", NO_PROXY: "example.com" };
  const told = networkOfChildren(readConfig({ "data-dir": dataDir, "ca-file": caFile }, env));
  expect(told).toMatchObject({
    https_proxy: "http://proxy:3128",
    HTTPS_PROXY: "http://proxy:3128",
    NODE_EXTRA_CA_CERTS: caFile,
  });
  expect(told["no_proxy"]).toBe("example.com,169.254.169.254,169.254.170.2,fd00:ec2::254");
  const bundle = await readFile(told["GIT_SSL_CAINFO"] ?? "", "utf8");
  expect(bundle).toContain(tlsCertificate);
  expect(bundle.match(/BEGIN CERTIFICATE/g)?.length).toBeGreaterThan(50);
});

import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeCertificate, type OwnCertificate } from "./own-certificate.ts";

async function serving(shown: OwnCertificate): Promise<string> {
  const server = https.createServer(shown, (_, response) => void response.end());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/`; // it listens on one
}

async function statusOf(url: string, ca: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  https.get(url, { ca, agent: false }, ({ statusCode }) => resolve(statusCode)).on("error", reject);
  return await promise;
}

describe("a certificate of one's own", () => {
  test("lets its holder be known on the loopback, and nobody else", async () => {
    const [own, other] = [makeCertificate(), makeCertificate()];
    const url = await serving(own);
    expect(await statusOf(url, own.cert)).toBe(200);
    await expect(statusOf(url, other.cert)).rejects.toThrow(/self-signed certificate/);
  });

  test("is signed by its own key, for that address alone, whatever the host's clock says", () => {
    const cert = new X509Certificate(makeCertificate().cert);
    expect(cert.verify(cert.publicKey)).toBe(true);
    expect(cert.subjectAltName).toBe("IP Address:127.0.0.1");
    expect(cert.validFromDate.getUTCFullYear()).toBe(2000);
    expect(cert.validToDate.getUTCFullYear()).toBe(9999);
  });
});

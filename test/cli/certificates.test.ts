import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { expiredCertificate, tlsCertificate, tlsKey } from "../support/network/tls-certificate.ts";
import { svc } from "../support/programs/svc.ts";
import { testFolder } from "../support/run/folder.ts";

/** Asks a server with this certificate for the jobs, trusting it where told; answers what was said of it. */
async function ask(cert: string, { isTrusted = true, address = "127.0.0.1" } = {}) {
  const server = createServer({ cert, key: tlsKey }, () => {
    throw new Error("a request has come");
  });
  await once(server.listen(0, address), "listening");
  onTestFinished(() => void server.close());
  const file = path.join(await testFolder(), "ca.pem");
  await writeFile(file, cert);
  const host = `${address}:${(server.address() as AddressInfo).port}`;
  const trust = isTrusted ? { NODE_EXTRA_CA_CERTS: file } : {};
  const env = { SVC_URL: `https://${host}`, ...trust };
  const said = await svc(["job", "list"], { env });
  return { ...said, err: said.err.replaceAll(host, "HOST").trimEnd().split("\n") };
}

test("a certificate of an unknown issuer is told, and how to trust it", async () => {
  expect(await ask(tlsCertificate, { isTrusted: false })).toEqual({
    code: 1,
    out: "",
    err: [
      "The certificate of HOST is not trusted: this machine does not know who signed it (DEPTH_ZERO_SELF_SIGNED_CERT).",
      "If it is your own or your company's CA, give its certificate: NODE_EXTRA_CA_CERTS=FILE (PEM). Otherwise someone may be intercepting the connection.",
    ],
  });
});

test("one that has expired is told, and so is that a clock may be wrong", async () => {
  expect(await ask(expiredCertificate)).toEqual({
    code: 1,
    out: "",
    err: [
      "The certificate of HOST has expired (CERT_HAS_EXPIRED).",
      "Renew it at the broker, or correct this machine's clock.",
    ],
  });
});

test("one for another name is told with the names that it has", async () => {
  expect(await ask(tlsCertificate, { address: "127.0.0.2" })).toEqual({
    code: 1,
    out: "",
    err: [
      "The certificate of HOST is for another name: DNS:localhost, IP Address:127.0.0.1 (ERR_TLS_CERT_ALTNAME_INVALID).",
      "Check the spelling of the URL, or add this name to the broker's certificate.",
    ],
  });
});

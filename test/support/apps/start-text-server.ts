import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { promisify } from "node:util";
import { tlsCertificate, tlsKey } from "../network/tls-certificate.ts";
import { afterFile } from "../run/after-file.ts";

/** A server of texts on this host, which this process trusts; what it is asked. */
export type TextServer = {
  readonly url: string;
  readonly port: number;
  readonly asked: { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  /** What it has by paths: a text, or an answer. */
  readonly has: Map<string, string | Buffer | ((answer: ServerResponse) => void)>;
};

/** Starts a server of texts by HTTPS; it ends with the file of tests. */
export async function startTextServer(): Promise<TextServer> {
  setDefaultCACertificates([...getCACertificates("default"), tlsCertificate]);
  const asked: TextServer["asked"] = [];
  const has: TextServer["has"] = new Map();
  const server = createServer({ key: tlsKey, cert: tlsCertificate }, (request, answer) => {
    const path = request.url ?? "";
    asked.push({ path, headers: request.headers });
    const found = has.get(path);
    if (typeof found === "function") found(answer);
    else if (found === undefined) answer.writeHead(404).end();
    else answer.setHeader("set-cookie", "a=b").end(found);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterFile(async () => {
    server.closeAllConnections();
    await promisify(server.close.bind(server))();
  });
  const { port } = server.address() as AddressInfo; // it listens at a port
  return { url: `https://127.0.0.1:${port}`, port, asked, has };
}

import type {
  ClientRequest,
  Agent as HttpAgent,
  IncomingHttpHeaders,
  IncomingMessage,
  ServerResponse,
} from "node:http";
import type { AgentOptions, Agent as HttpsAgent } from "node:https";
import { pipeline } from "node:stream/promises";
import { http, https } from "../client/node-http.ts";
import type { KubeLogin } from "../kubernetes/kube-login.ts";
import type { FrontOrder } from "./front-order.ts";
import { openLogin } from "./own-login.ts";
import { FrontRefusal } from "./status-answer.ts";

/** A request as it is sent to the cluster. */
export type Passing = {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};
type Env = Readonly<Record<string, string | undefined>>;

/** How long a connection may be idle; API servers close theirs later. */
const idleMs = 30_000;

/** The cluster behind the front, reached by the job's credentials, which the client never sees. */
export function openUpstream({ cluster }: Pick<FrontOrder, "cluster">, env: Env) {
  const origin = new URL(cluster.server);
  const { login, forget } = openLogin(cluster.user, env);
  const options = { keepAlive: true, timeout: idleMs, proxyEnv: cluster.proxyEnv };
  let shown: string | undefined;
  let agent: HttpAgent | HttpsAgent | undefined;
  const agentFor = ({ cert, key }: KubeLogin) => {
    const asked = `${cert ?? ""}${key ?? ""}`;
    // A new client certificate needs new connections; open ones continue.
    if (agent !== undefined && shown === asked) return agent;
    shown = asked;
    const { ca, servername, rejectUnauthorized } = cluster.tls;
    const certificates: AgentOptions = {
      ...(ca && { ca }),
      ...(servername && { servername }),
      ...(rejectUnauthorized === false && { rejectUnauthorized }),
      ...(cert && { cert }),
      ...(key && { key }),
    };
    const isHttps = origin.protocol === "https:";
    agent = isHttps ? new https.Agent({ ...options, ...certificates }) : new http.Agent(options);
    return agent;
  };
  const open = (passing: Passing, who: KubeLogin): ClientRequest => {
    const { method, target, body } = passing;
    const request = (origin.protocol === "https:" ? https : http).request({
      method,
      protocol: origin.protocol,
      hostname: origin.hostname.replace(/^\[|\]$/g, ""),
      port: origin.port,
      path: origin.pathname.replace(/\/$/, "") + target,
      headers: headersOf(passing, who),
      agent: agentFor(who),
    });
    request.end(body);
    return request;
  };
  return {
    /** Sends a request on and streams what comes back. Throws FrontRefusal where the cluster does not answer. */
    pass: async (passing: Passing, response: ServerResponse): Promise<void> => {
      const answer = await answered(() => login().then((who) => open(passing, who)), response);
      if (answer.statusCode === 401) forget();
      response.writeHead(answer.statusCode ?? 502, stripped(answer.headers));
      // A watch needs the headers at once, and its first event may come much later.
      response.flushHeaders();
      await pipeline(answer, response).catch(() => {}); // either side went away
    },
  };
}

/** A kept-alive connection that the server closed at the same instant is no failure: the request is sent again. */
async function answered(
  open: () => Promise<ClientRequest>,
  response: ServerResponse,
): Promise<IncomingMessage> {
  for (let nth = 0; ; nth++) {
    const request = await open();
    const end = (): void => void request.destroy();
    response.once("close", end);
    try {
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      request.on("response", resolve).on("error", reject);
      return await promise;
    } catch (error) {
      response.off("close", end);
      const { code = "", message } = error as NodeJS.ErrnoException;
      if (request.reusedSocket && nth < 3 && /^(?:ECONNRESET|EPIPE)$/.test(code)) continue;
      throw new FrontRefusal(500, `the cluster does not answer: ${code || message}`);
    }
  }
}

const ofOneHop = /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/;

function stripped(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const kept = Object.entries(headers).filter(([name]) => !ofOneHop.test(name));
  return Object.fromEntries(kept) as Record<string, string | string[]>; // each that is there has a value
}

function headersOf({ headers, body, method }: Passing, { token, basic }: KubeLogin) {
  const { host: _, authorization: __, "content-length": ___, ...others } = stripped(headers);
  const authorization = token ? `Bearer ${token}` : basic ? `Basic ${basic}` : undefined;
  const hasBody = body.length > 0 || !/^(?:GET|HEAD|DELETE)$/.test(method);
  return {
    ...others,
    ...(hasBody && { "content-length": body.length }),
    ...(authorization !== undefined && { authorization }),
  };
}

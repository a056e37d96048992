import type { IncomingMessage, ServerResponse } from "node:http";
import { answerBlob, answerUpload, beginUpload } from "./answer-blobs.ts";
import { answerManifest, answerReferrers, answerTags } from "./answer-manifests.ts";
import type { CheckToken, Granted } from "./check-token.ts";
import { passToBroker, tokenPath } from "./pass-to-broker.ts";
import { type Route, readRoute } from "./read-route.ts";
import { RegistryError } from "./registry-error.ts";
import { answerBytes, type RegistryRequest, type Store } from "./registry-request.ts";

/** Whom the registry trusts, as its challenges say it. */
export type Trust = {
  readonly brokerUrl: string;
  readonly service: string;
  readonly check: CheckToken;
};

type Parts = { readonly store: Store; readonly trust: () => Trust | undefined };

/** Methods of each kind of path, with what of the repository they ask for. */
const methods: {
  readonly [Kind in Route["kind"]]: Readonly<Record<string, "pull" | "push" | "delete">>;
} = {
  ping: { GET: "pull", HEAD: "pull" },
  uploads: { POST: "push" },
  upload: { GET: "push", PATCH: "push", PUT: "push", DELETE: "push" },
  blob: { GET: "pull", HEAD: "pull", DELETE: "delete" },
  manifest: { GET: "pull", HEAD: "pull", PUT: "push", DELETE: "delete" },
  tags: { GET: "pull" },
  referrers: { GET: "pull" },
};

/** Answers one request of the distribution spec, whatever becomes of it. */
export async function answerRequest(
  parts: Parts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.setHeader("docker-distribution-api-version", "registry/2.0");
  try {
    await serve(parts, request, response);
  } catch (error) {
    refuse(response, error);
  }
}

async function serve(
  { store, trust }: Parts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path = "", ...rest] = (request.url ?? "").split("?");
  const query = new URLSearchParams(rest.join("?"));
  const trusted = trust();
  if (trusted === undefined)
    throw new RegistryError("UNAVAILABLE", "The broker has not started yet.", {
      headers: { "retry-after": "1" },
    });
  if (path === tokenPath && request.method === "GET")
    return await passToBroker(trusted.brokerUrl, request, response);
  const route = readRoute(path);
  if (route === undefined)
    throw new RegistryError("UNSUPPORTED", "The registry has no such path.", { status: 404 });
  const action = methods[route.kind][request.method ?? ""];
  if (action === undefined)
    throw new RegistryError("UNSUPPORTED", "This path takes no such method.", {
      headers: { allow: Object.keys(methods[route.kind]).join(", ") },
    });
  const granted = await requireAccess(trusted, { request, route, action, query });
  await act({ store, request, response, query, granted }, route);
}

async function act(asked: RegistryRequest, route: Route): Promise<void> {
  switch (route.kind) {
    case "ping":
      answerBytes(asked, Buffer.from("{}"), { "content-type": "application/json" });
      return;
    case "uploads":
      return await beginUpload(asked, route.repository);
    case "upload":
      return await answerUpload(asked, route.repository, route.id);
    case "blob":
      return await answerBlob(asked, route.repository, route.reference);
    case "manifest":
      return await answerManifest(asked, route.repository, route.reference);
    case "tags":
      return await answerTags(asked, route.repository);
    case "referrers":
      return await answerReferrers(asked, route.repository, route.reference);
  }
}

type Access = {
  readonly request: IncomingMessage;
  readonly route: Route;
  readonly action: "pull" | "push" | "delete";
  readonly query: URLSearchParams;
};

/** What the token opens; 401 where that is not enough, with what to ask the broker for. */
async function requireAccess(
  { service, check }: Trust,
  { request, route, action, query }: Access,
): Promise<Granted> {
  const [, token = ""] = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? "") ?? [];
  const granted = token === "" ? undefined : await check(token);
  if (granted !== undefined && (route.kind === "ping" || isOpen(granted, route.repository, action)))
    return granted;
  const wanted = route.kind === "ping" ? [] : [scopeOf(route.repository, action)];
  const from = query.get("mount") === null ? null : query.get("from");
  if (from !== null && /^[a-z0-9._/-]{1,255}$/.test(from)) wanted.push(scopeOf(from, "pull"));
  const scope = wanted.length === 0 ? "" : `,scope="${wanted.join(" ")}"`;
  const error =
    token === ""
      ? ""
      : `,error="${granted === undefined ? "invalid_token" : "insufficient_scope"}"`;
  throw new RegistryError(
    "UNAUTHORIZED",
    "This needs a login that opens the repository: svc registry login.",
    {
      headers: {
        "www-authenticate": `Bearer realm="http://${service}${tokenPath}",service="${service}"${scope}${error}`,
      },
    },
  );
}

const isOpen = (granted: Granted, repository: string, action: string): boolean =>
  granted.get(repository)?.has(action) === true;

const scopeOf = (repository: string, action: string): string =>
  `repository:${repository}:${action === "push" ? "pull,push" : action}`;

function refuse(response: ServerResponse, error: unknown): void {
  const known =
    error instanceof RegistryError
      ? error
      : new RegistryError("UNAVAILABLE", "The registry failed.", { status: 500 });
  if (response.headersSent) {
    response.destroy(); // what came cannot be taken back
    return;
  }
  const { status, code, message, headers } = known;
  const body = JSON.stringify({ errors: [{ code, message }] });
  response
    .writeHead(status, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      ...headers,
    })
    .end(body);
}

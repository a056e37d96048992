import type { RouteRule } from "../../../shared/route-rule.ts";
import { routeRule } from "./route-rules.ts";
import { type JsonSchema, sampleOfSchema } from "./sample-of-schema.ts";

type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  schema: JsonSchema & { pattern?: string; example?: string };
};
type Operation = {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema?: JsonSchema }> };
};
/** The API's document, as far as it says how to ask. */
export type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema> };
};
/** One operation of it. */
export type Route = {
  name: string;
  method: string;
  path: string;
  operation: Operation;
  rule: RouteRule;
};

/** Every operation of the document. */
export function routesOf({ paths }: Document): Route[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      operation,
      rule: routeRule(operation.operationId),
    })),
  );
}

/** Whom to ask, and what paths name. */
export type Asked = {
  readonly url: string;
  readonly document: Document;
  readonly ids: Readonly<Record<string, string>>;
};

export type Asking = {
  readonly token: string;
  readonly query?: string;
  /** The body names our things, too. */
  readonly names?: boolean;
  /** Only what the answer begins with: it may go on for ever. */
  readonly isHead?: boolean;
};

/** Calls an operation with what the document says that it takes, and what is required of its query. */
export async function askRoute(
  { url, document, ids }: Asked,
  { method, path, operation }: Route,
  { token, query = "", names = false, isHead = false }: Asking,
): Promise<{ readonly status: number; readonly text: string }> {
  const { parameters = [] } = operation;
  const at = path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => ids[name] ?? exampleOf(operation, name),
  );
  const given = new URLSearchParams(query);
  for (const { name, in: where, required, schema } of parameters) {
    if (where !== "query") continue;
    if (name === "wait") given.set(name, "1s");
    else if (required === true && !given.has(name))
      given.set(name, String(sampleOfSchema(schema, document.components.schemas)));
  }
  const body = method === "GET" ? undefined : bodyOf(document, operation, names ? ids : {});
  const response = await fetch(`${url}${at}${given.size > 0 ? `?${given.toString()}` : ""}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!isHead) return { status: response.status, text: await response.text() };
  await response.body?.cancel();
  return { status: response.status, text: "" };
}

function exampleOf({ parameters = [] }: Operation, name: string): string {
  const example = parameters.find((one) => one.name === name)?.schema.example;
  return typeof example === "string" ? example : "x";
}

/** What the document says that a body holds; where it cannot say it all, what it holds. Members that are called as ids name those. */
export function bodyOf(
  document: Document,
  operation: Operation,
  ids: Asked["ids"],
): object | undefined {
  if (operation.operationId === "setAccountRoles") return { roles: ["org_read_only"] };
  const schema = operation.requestBody?.content["application/json"]?.schema;
  if (schema === undefined) return undefined;
  const { schemas } = document.components;
  const { properties = {} } = schemas[schema.$ref?.split("/").at(-1) ?? ""] ?? schema;
  const own = Object.keys(properties).flatMap((name): [string, unknown][] => {
    if (name in ids) return [[name, ids[name]]];
    const one = name.slice(0, -1);
    return name.endsWith("s") && one in ids ? [[name, [ids[one]]]] : [];
  });
  return { ...(sampleOfSchema(schema, schemas) as object), ...Object.fromEntries(own) };
}

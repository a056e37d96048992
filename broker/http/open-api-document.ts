import type { OpenAPIHono } from "@hono/zod-openapi";
import { webhookEvents } from "../../shared/api/workflow-events.ts";
import { version } from "../../shared/version.ts";
import type { Broker } from "../broker.ts";
import type { App } from "./app-types.ts";
import { withLeftOutMembers } from "./left-out-members.ts";

/** The OpenAPI 3.1 document, made from the same objects that validate. */
export function openApiDocument(
  app: App,
  broker: Broker,
): ReturnType<OpenAPIHono["getOpenAPI31Document"]> {
  for (const event of webhookEvents) app.openAPIRegistry.registerWebhook(event);
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "svc",
      version,
      description:
        "svc takes jobs from a control plane, gives each to exactly one process of its runner, and tracks it to its end.",
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    },
    servers: [{ url: broker.config.publicUrl ?? "/" }],
  });
  const securitySchemes = {
    token: { type: "http" as const, scheme: "bearer", description: "A token: svc_<kind>_…" },
  };
  const described = withDescribedReferences({
    ...document,
    components: { ...document.components, securitySchemes },
  });
  return withLeftOutMembers(described);
}

type Described = { readonly allOf?: readonly unknown[] } | null;

/**
 * A reference with a description beside it, where it came as one of two schemas that both must hold: generators would make a
 * class of its own of that.
 */
function withDescribedReferences<Document>(document: Document): Document {
  return JSON.parse(JSON.stringify(document), (_, value: Described): unknown => {
    if (value === null || !Array.isArray(value.allOf)) return value;
    const [first, second, ...more] = value.allOf as readonly object[];
    if (first === undefined || second === undefined || more.length > 0) return value;
    const isDescription = Object.keys(second).join() === "description";
    return "$ref" in first && isDescription ? { ...first, ...second } : value;
  }) as Document; // the same but for these
}

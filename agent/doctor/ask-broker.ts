import type { z } from "zod";
import type { Route, RouteBody, RouteInput } from "../../shared/api/route.ts";
import { version } from "../../shared/version.ts";
import { openTransport } from "../client/network.ts";
import { pathOf } from "../client/path-of.ts";
import { type Received, send } from "../client/send.ts";
import type { DoctorContext } from "./finding.ts";

export type Asked = {
  readonly received: Received;
  /** The problem code of the broker, if it refused. */
  readonly code: string | undefined;
  /** The answer, if it is what the route promises. */
  readonly status: number;
};

/** Sends one request in the same way as the agent, without retries. Throws Unanswered when there is no answer. */
export async function askBroker<R extends Route>(
  context: DoctorContext,
  route: R,
  input: RouteInput<R>,
  how: { readonly token?: string; readonly timeoutMs?: number } = {},
): Promise<Asked & { body: RouteBody<R> | undefined }> {
  const transport = openTransport(context.config);
  const { body } = input as { body?: unknown };
  try {
    const received = await send(transport, {
      method: route.method.toUpperCase(),
      path: pathOf(route, input),
      headers: {
        "user-agent": `svc-agent/${version} doctor`,
        ...(how.token !== undefined && { authorization: `Bearer ${how.token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      timeoutMs: how.timeoutMs ?? context.patienceMs,
    });
    return { received, status: received.status, ...readText(route, received) };
  } finally {
    transport.close();
  }
}

function readText<R extends Route>(
  route: R,
  { status, text }: Received,
): { code: string | undefined; body: RouteBody<R> | undefined } {
  const read = parseJson(text);
  const content = (route.responses[status] as { content?: Record<string, { schema: z.ZodType }> })
    ?.content?.["application/json"];
  if (content?.schema.safeParse(read).success === true) {
    return { code: undefined, body: read as RouteBody<R> }; // parsed by the route's schema
  }
  const code = (read as { code?: unknown } | null | undefined)?.code;
  return { code: typeof code === "string" ? code : undefined, body: undefined };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

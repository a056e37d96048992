import type { Answer, Call } from "../../test/support/broker/broker.ts";

/** Calls of one org's API, as a token's; what is refused throws. */
export type BenchApi = <Body>(what: string, body?: unknown) => Promise<Body>;

export function benchApi(url: string, token: string): BenchApi {
  return async <Body>(what: string, body?: unknown): Promise<Body> => {
    const answer = await sendTo<Body>(url, what, { token, ...(body !== undefined && { body }) });
    if (answer.status >= 300)
      throw new Error(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
}

/** A request to a broker, and its answer. */
export async function sendTo<Body>(
  url: string,
  what: string,
  { token, body }: Call = {},
): Promise<Answer<Body>> {
  const [method = "GET", path = "/"] = what.split(" ");
  const headers = { authorization: `Bearer ${token ?? ""}`, "content-type": "application/json" };
  const request = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const response = await fetch(url + path, request);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (text === "" ? undefined : JSON.parse(text)) as Body,
  };
}

import type { TestBroker } from "./broker.ts";

/** Calls a broker by a token, and answers what it says; a refusal fails the test in its words. */
export const callAs =
  ({ call }: Pick<TestBroker, "call">, token: string) =>
  async <Body>(what: string, body?: object): Promise<Body> => {
    const answer = await call<Body>(what, { token, ...(body && { body }) });
    if (answer.status >= 400) throw new Error(`${what}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };

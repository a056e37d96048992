import { freePorts } from "../network/free-ports.ts";
import { startTool } from "./start-tool.ts";

export type Moto = {
  readonly url: string;
  /** What AWS' programs and libraries read to go there, and to no cloud. */
  readonly env: Readonly<Record<string, string>>;
};

/**
 * A double of AWS for one test or file: STS, Secrets Manager, CloudFormation, ECR's tokens. It checks no keys, unless it is told
 * to after so many calls: then signatures and rights. Nothing expires.
 */
export async function startMoto(uncheckedCalls?: number, isOfFile = false): Promise<Moto> {
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  await startTool("moto_server", ["--host", "127.0.0.1", "--port", String(port)], {
    answersAt: `${url}/moto-api/data.json`,
    isOfFile,
    ...(uncheckedCalls !== undefined && {
      env: { INITIAL_NO_AUTH_ACTION_COUNT: String(uncheckedCalls) },
    }),
  });
  return {
    url,
    env: {
      AWS_ENDPOINT_URL: url,
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "testing",
      AWS_SECRET_ACCESS_KEY: "testing",
    },
  };
}

import { sendRequest } from "../../shared/api/call-route.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { version } from "../../shared/version.ts";
import { defineCommand } from "../command.ts";
import { readInput } from "../connection/connection.ts";
import { readPairs } from "../flags/read-flags.ts";

const bodiless = new Set(["GET", "HEAD", "DELETE"]);

export const callApi = defineCommand({
  name: "api",
  summary: "Send a request to the API and print the response.",
  details:
    "Fields are sent as a JSON body, or as the query of a GET. A value that is JSON (a number, true, null, an " +
    "object) is sent as such, anything else as text.",
  args: {
    method: { summary: "GET, POST, PATCH, PUT or DELETE." },
    path: { summary: "The path with its query, like /v1/runners?limit=10." },
  },
  flags: {
    field: {
      short: "f",
      value: "NAME=VALUE",
      isRepeatable: true,
      summary: "A field of the body.",
    },
    input: {
      value: "FILE",
      summary: "The complete body from a file, or from standard input for -.",
    },
  },
  examples: [
    { does: "List all roles.", run: "svc api GET /v1/roles" },
    { does: "Rename the current org.", run: "svc api PATCH /v1/orgs/current -f name=Acme" },
    {
      does: "Send a body from a file.",
      run: "svc api POST /v1/runners/run_…/jobs/batch --input jobs.json",
    },
  ],
  run: async ({ args, flags, connect, screen }) => {
    const method = args.method.toUpperCase();
    if (!/^[A-Z]+$/.test(method) || !args.path.startsWith("/")) {
      throw new UsageError("A method and a path are required, like: svc api GET /v1/runners");
    }
    if (flags.input !== undefined && flags.field.length > 0) {
      throw new UsageError("--input and --field cannot be used together.");
    }
    const fields = readPairs("--field", flags.field);
    const isQuery = bodiless.has(method);
    const path = isQuery ? withQuery(args.path, fields) : args.path;
    const body = flags.input === undefined ? bodyOf(isQuery, fields) : await readInput(flags.input);
    const { url, token, orgId } = await connect();
    const endpoint = { url, token, orgId, userAgent: `svc-cli/${version}` };
    const answer = await screen.during(
      `Waiting for ${url}`,
      sendRequest(endpoint, { method, path, body }),
    );
    if (answer.text !== "") screen.asIs.out(answer.text);
  },
});

function withQuery(path: string, fields: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(fields).toString();
  if (query === "") return path;
  return `${path}${path.includes("?") ? "&" : "?"}${query}`;
}

function bodyOf(isQuery: boolean, fields: Readonly<Record<string, string>>): unknown {
  if (isQuery || Object.keys(fields).length === 0) return undefined;
  return Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, valueOf(text)]));
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

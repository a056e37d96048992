import { getOwnTokenRoute, type Token } from "../../shared/api/tokens.ts";
import { parseToken } from "../../shared/token.ts";
import { askBroker } from "./ask-broker.ts";
import { type DoctorContext, failed, type Found, leftOut, ok, warning } from "./finding.ts";

const soonMs = 7 * 24 * 3_600_000;

/** Whether the token belongs to this runner, and how long it is valid. */
export async function checkToken(context: DoctorContext): Promise<Found> {
  const { token } = context;
  if (token === undefined) {
    return failed(
      "There is no token.",
      "Give its file with token-file; docs/agent.md says how to get one.",
    );
  }
  const kind = parseToken(token)?.kind;
  if (kind === undefined) {
    return failed(
      "The token is not valid.",
      "A token looks like svc_rt_… and ends in a checksum. It may have been copied incompletely.",
    );
  }
  if (kind === "boot") {
    return leftOut("It is a one-time enrolment token. Testing it would use it up.");
  }
  if (kind !== "rt") {
    return failed(
      `It is not a runner token (svc_${kind}_…).`,
      'Make one by "svc runner enrol RUNNER".',
    );
  }
  const { body, status } = await askBroker(context, getOwnTokenRoute, {}, { token });
  if (body !== undefined) return judge(context, body);
  if (status !== 401) return failed(`The broker answers ${status} to a request about the token.`);
  return failed(
    "The broker does not know the token.",
    "It was revoked, has expired, or belongs to another broker. Enrol the agent again.",
  );
}

function judge(
  { config }: DoctorContext,
  { runner_id: runnerId, expires_at: endsAt }: Token,
): Found {
  if (config.runner !== undefined && runnerId !== config.runner) {
    return failed(
      `The token is that of ${runnerId ?? "no runner"}, not of ${config.runner}.`,
      "Leave the setting runner out, or give that runner's token.",
    );
  }
  if (runnerId === null && config.runner === undefined) {
    return failed("The token is not bound to a runner.", "Set runner to the runner's id.");
  }
  const whose = `It is a token of ${runnerId ?? config.runner}`;
  if (endsAt === null) return ok(`${whose} and does not expire.`);
  const leftMs = Date.parse(endsAt) - Date.now();
  const words = `${whose}, good until ${endsAt}.`;
  return leftMs < soonMs ? warning(words, "Rotate it soon.") : ok(words);
}

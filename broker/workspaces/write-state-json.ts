import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import { newId } from "../database/new-id.ts";
import type { WithPermit } from "../limits/permits.ts";
import type { Actor } from "../tokens/actor.ts";
import type { Outcome } from "./queries.ts";
import { refusalOf } from "./refuse.ts";
import { makeStateScan } from "./state-scan.ts";
import { storeParts, storedColumns, unlessDiscarded, watchPieces } from "./store-parts.ts";

type Where = { readonly workspaceId: string; readonly jobId: string | null };

type Upload = {
  readonly where: Where;
  readonly pieces: AsyncIterable<Buffer>;
  /** Takes a permit for statements that may wait for the workspace; none is held while the body arrives. */
  readonly withPermit: WithPermit;
};

/** Stores the output of `terraform show -json` in place of the earlier one; 400 when it is not a JSON object. */
export async function writeStateJson(
  broker: Pick<Broker, "db" | "seals">,
  actor: Pick<Actor, "id" | "orgId">,
  { where, pieces, withPermit }: Upload,
): Promise<void> {
  const naming = { orgId: actor.orgId, id: newId("tfj") };
  const scan = makeStateScan();
  await unlessDiscarded(broker, naming, async () => {
    const stored = await storeParts(broker, naming, watchPieces(decoded(pieces), scan.push));
    scan.end();
    const row = {
      workspace_id: where.workspaceId,
      org_id: actor.orgId,
      id: naming.id,
      ...storedColumns(stored),
      runner_job_id: where.jobId,
      created_by_id: actor.id,
    };
    const [outcome] = await withPermit(
      () => broker.db<Outcome[]>`
        select o.* from write_state_json(
          jsonb_populate_record(null::terraform_workspace_state_jsons, ${JSON.stringify(row)}::text::jsonb),
          ${stored.onlyPart}::bytea) o`,
    );
    const refused = outcome && refusalOf(outcome);
    if (refused !== undefined) throw refused;
  });
}

/** Some clients send the JSON as a JSON string of its base64. */
async function* decoded(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isText: boolean | undefined;
  let rest = "";
  for await (const piece of pieces) {
    isText ??= piece.toString("latin1").trimStart().startsWith('"');
    if (!isText) {
      yield piece;
      continue;
    }
    const text = rest + piece.toString("latin1").replaceAll(/[\s"]/g, "");
    if (/[^\w+/=-]/.test(text))
      throw problem.malformed("malformed_json", "The body must be JSON, or JSON in base64.");
    const whole = text.length - (text.length % 4);
    yield Buffer.from(text.slice(0, whole), "base64");
    rest = text.slice(whole);
  }
  if (rest !== "") yield Buffer.from(rest, "base64");
}

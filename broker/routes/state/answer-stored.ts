import type { Broker } from "../../broker.ts";
import type { AppContext } from "../../http/app-types.ts";
import { listStatesById } from "../../workspaces/queries.ts";
import { openStored } from "../../workspaces/read-parts.ts";
import type { StoredParts } from "../../workspaces/row.ts";
import { requireWorkspace } from "../../workspaces/show-workspace.ts";

type Current = { readonly workspaceId: string; readonly type: string };

/** The current state's bytes; 204 when there is none. */
export async function answerCurrentState(
  c: AppContext,
  broker: Broker,
  { workspaceId, type }: Current,
): Promise<never> {
  const { orgId } = c.get("actor");
  const { state_id: stateId } = await requireWorkspace(broker.db, orgId, workspaceId);
  const [state] = stateId === null ? [] : await listStatesById(broker.db, orgId, [stateId]);
  if (state === undefined) return c.body(null, 204) as never; // its contract has it
  return answerStored(c, broker, state, type);
}

/** What is stored, part after part, no faster than it is taken; refused whole when its beginning does not open. */
export async function answerStored(
  c: AppContext,
  broker: Broker,
  stored: StoredParts,
  type: string,
): Promise<never> {
  const { md5, sizeBytes, pieces } = openStored(broker, stored);
  const reading = pieces();
  const first = await reading.next();
  const headers = {
    "content-type": type,
    "content-length": String(sizeBytes),
    "content-md5": md5.toString("base64"),
  };
  const body = ReadableStream.from(withFirst(first, reading));
  return c.body(body, 200, headers) as never; // bytes, whatever the contract shows
}

async function* withFirst(
  first: IteratorResult<Buffer, unknown>,
  rest: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}

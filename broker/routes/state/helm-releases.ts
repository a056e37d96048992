import {
  createHelmRecordRoute,
  deleteHelmRecordRoute,
  getHelmRecordRoute,
  listHelmRecordsRoute,
  queryHelmRecordsRoute,
  updateHelmRecordRoute,
} from "../../../shared/api/helm-releases.ts";
import { problem } from "../../../shared/problem.ts";
import type { Broker } from "../../broker.ts";
import {
  createRecord,
  openRecord,
  removeRecord,
  replaceRecord,
  type SentRecord,
} from "../../helm-releases/keep-record.ts";
import { listRecordIds } from "../../helm-releases/queries.ts";
import { requireChartAccess } from "../../helm-releases/require-chart-access.ts";
import { toHelmRelease } from "../../helm-releases/to-helm-release.ts";
import { begun } from "../../http/answer/answer-bytes.ts";
import { answerLarge } from "../../http/answer/answer-large.ts";
import { streamAnswer } from "../../http/answer/stream-answer.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { readBody } from "../../http/body/read-body.ts";
import { maxBytes } from "../../http/body/read-json.ts";
import { largeBytes } from "../../http/body/reserve-memory.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import { openLarge } from "../../seals/open-large.ts";

const json = "application/json";

/** /v1/helm-releases/{chart_id}/releases/{namespace}: helm's storage, as a driver over HTTP uses it */
export const helmReleases: RegisterRoutes = (app, broker) => {
  app.handle(listHelmRecordsRoute, ({ c }) => answerRecords(c, broker, {}));
  app.handle(queryHelmRecordsRoute, ({ c }) => answerRecords(c, broker, labelsOf(c)));
  app.handle(getHelmRecordRoute, async ({ c, orgId }) => {
    const place = await reachPlace(c, broker);
    const record = await openRecord(broker, orgId, place);
    if (record === undefined) throw problem.notFound("release");
    if (!Buffer.isBuffer(record)) return answerLarge(c, broker, { large: record, type: json });
    const headers = { "content-type": json };
    return c.body(new Uint8Array(record), 200, headers) as never; // bytes, whatever the contract shows
  });
  app.handle(createHelmRecordRoute, async ({ c, actor, withPermit }) => {
    const place = await withPermit(() => reachPlace(c, broker));
    if (place.key === "query") throw reservedKey();
    const sent = await readSent(c, broker);
    return toHelmRelease(await withPermit(() => createRecord(broker, actor, { place, sent })));
  });
  app.handle(updateHelmRecordRoute, async ({ c, actor, withPermit }) => {
    const place = await withPermit(() => reachPlace(c, broker));
    const sent = await readSent(c, broker);
    return toHelmRelease(await withPermit(() => replaceRecord(broker, actor, { place, sent })));
  });
  app.handle(deleteHelmRecordRoute, async ({ c, actor }) => {
    const place = await reachPlace(c, broker);
    return toHelmRelease(await removeRecord(broker, actor, place));
  });
};

/** A long record is looked into elsewhere. */
async function readSent(c: AppContext, broker: Broker): Promise<SentRecord> {
  const bytes = await readBody(c, maxBytes(c.get("rule")));
  if (bytes.length <= largeBytes) return bytes;
  return broker.bodies.readRecord({
    orgId: c.get("actor").orgId,
    bytes,
    gone: c.req.raw.signal,
  });
}

async function reachPlace(c: AppContext, broker: Broker) {
  const chartId = c.req.param("chart_id") ?? "";
  await requireChartAccess(broker, c.get("actor"), chartId);
  return { chartId, namespace: c.req.param("namespace") ?? "", key: c.req.param("key") ?? "" };
}

/** Every query parameter is a label; 422 for what no label can hold. */
function labelsOf(c: AppContext): Record<string, string> {
  const labels = c.req.query();
  const wrong = Object.entries(labels).filter((pair) => !pair.every(isStorable));
  if (wrong.length === 0) return labels;
  throw problem.invalid(
    wrong.map(([name]) => ({
      pointer: `?${name.replaceAll("\0", "%00")}`,
      code: "nul_character",
      detail: "Text must not contain the null character (U+0000).",
    })),
  );
}

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0");

/** The records as one array, one after the other: together they may be large. */
async function answerRecords(
  c: AppContext,
  broker: Broker,
  labels: Readonly<Record<string, string>>,
): Promise<never> {
  const { orgId } = c.get("actor");
  const { chartId, namespace } = await reachPlace(c, broker);
  const ids = await listRecordIds(broker.db, orgId, { chartId, namespace, labels });
  const records = await begun(readRecords(broker, orgId, ids));
  return streamAnswer(c, broker, { type: json, parts: records }) as never; // records, whatever the contract shows
}

/** The records that are still there, as an array. */
async function* readRecords(
  broker: Broker,
  org: OrgId,
  ids: readonly string[],
): AsyncGenerator<Buffer> {
  let before = "[";
  for (const id of ids) {
    const record = await openRecord(broker, org, id);
    if (record === undefined) continue;
    yield Buffer.from(before);
    if (Buffer.isBuffer(record)) yield record;
    else yield* (await openLarge(broker, record)).pieces();
    before = ",";
  }
  yield Buffer.from(before === "[" ? "[]" : "]");
}

const reservedKey = () =>
  problem.invalid([
    { pointer: "#", code: "reserved_key", detail: "A record cannot have the key `query`." },
  ]);

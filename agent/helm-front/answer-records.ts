import type { BrokerRecords } from "./broker-records.ts";
import type { Diverted } from "./diverted.ts";
import { readSecret, recordOf, secretOf } from "./secret-record.ts";
import { FrontRefusal } from "./status-answer.ts";

/** A list is streamed while its records arrive. */
export type RecordsAnswer = {
  readonly code: number;
  readonly body: string | AsyncGenerator<string>;
};
type Asked = { readonly method: string; readonly diverted: Diverted; readonly body: Buffer };

/** Answers a request for helm's release secrets from the broker's records. Throws FrontRefusal. */
export async function answerRecords(records: BrokerRecords, asked: Asked): Promise<RecordsAnswer> {
  const { diverted: what } = asked;
  if (what.what === "list") return answerList(records, asked, what);
  const key = what.what === "one" ? what.key : readSecret(asked.body).name;
  return await answerOne(records, asked, { namespace: what.namespace, key });
}

function answerList(
  records: BrokerRecords,
  { method }: Asked,
  { namespace, labels }: Extract<Diverted, { what: "list" }>,
): RecordsAnswer {
  if (method !== "GET") throw notAllowed(method);
  return { code: 200, body: secretList(records.list(namespace, labels), namespace) };
}

async function* secretList(records: AsyncGenerator, namespace: string): AsyncGenerator<string> {
  let before = `{"apiVersion":"v1","kind":"SecretList","metadata":{"resourceVersion":"1"},"items":[`;
  for await (const record of records) {
    yield before + JSON.stringify(secretOf(record, namespace));
    before = ",";
  }
  yield before === "," ? "]}" : `${before}]}`;
}

type Place = { readonly namespace: string; readonly key: string };

async function answerOne(
  records: BrokerRecords,
  { method, body }: Asked,
  place: Place,
): Promise<RecordsAnswer> {
  const { namespace, key } = place;
  if (method === "GET") {
    const record = await records.read(place);
    if (record === undefined) throw absent(key);
    return good(200, secretOf(record, namespace));
  }
  if (method === "DELETE") {
    if (!(await records.remove(place))) throw absent(key);
    return good(200, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success" });
  }
  if (method !== "POST" && method !== "PUT") throw notAllowed(method);
  const record = recordOf(readSecret(body));
  if (method === "POST" && !(await records.create(place, record))) {
    throw new FrontRefusal(409, `secrets "${key}" already exists`);
  }
  if (method === "PUT" && !(await records.replace(place, record))) throw absent(key);
  return good(method === "POST" ? 201 : 200, secretOf(JSON.parse(record), namespace));
}

const good = (code: number, answer: object): RecordsAnswer => ({
  code,
  body: JSON.stringify(answer),
});

const absent = (key: string): FrontRefusal => new FrontRefusal(404, `secrets "${key}" not found`);

const notAllowed = (method: string): FrontRefusal =>
  new FrontRefusal(405, `the broker keeps helm's releases: ${method} is not supported for them`);

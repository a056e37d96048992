import { glob, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { startBroker } from "./support/broker/broker.ts";
import { testDatabase } from "./support/database/database.ts";

type Document = {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
};
type Described = { name: string; description?: string; schema?: { description?: string } };
type Form = { type?: string | string[] };
type Operation = {
  operationId: string;
  tags: string[];
  summary?: string;
  parameters?: Described[];
};

const database = await testDatabase();
const { call } = await startBroker({ url: database.url });
const { body: document } = await call<Document>("GET /openapi.json");
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

/** A change of the API shows in review: `npx vitest run test/openapi.test.ts -u` writes the file anew. */
test("the document is the one in the repository", async () => {
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot("openapi.json");
});

test("the document is of OpenAPI 3.1, and every operation has a name of its own, a tag and a summary", () => {
  expect(document.openapi).toBe("3.1.0");
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  const bare = operations.filter(
    ({ tags, summary }) => tags?.length !== 1 || summary === undefined,
  );
  expect(bare.map(({ operationId }) => operationId)).toEqual([]);
});

test("every parameter of a path, a query or a header says what it is", () => {
  const bare = operations.flatMap(({ operationId, parameters = [] }) =>
    parameters
      .filter(({ description, schema }) => !(description ?? schema?.description))
      .map(({ name }) => `${operationId} ${name}`),
  );
  expect(bare).toEqual([]);
});

test("both kinds of events are described as webhooks, with the headers that sign them", () => {
  type Kind = { post: Operation & { requestBody: { content: Record<string, unknown> } } };
  const { webhooks } = document as unknown as { webhooks: Record<string, Kind> };
  expect(Object.keys(webhooks)).toEqual([
    "com.svc.workflow.lifecycle.v1",
    "com.svc.workflow_step.lifecycle.v1",
  ]);
  for (const { post } of Object.values(webhooks)) {
    const headers = post.parameters?.map(({ name }) => name);
    expect(headers).toEqual(expect.arrayContaining(["x-svc-signature", "webhook-signature"]));
    expect(Object.keys(post.requestBody.content)).toEqual(["application/cloudevents+json"]);
  }
});

test("every reference inside the document leads somewhere", () => {
  const text = JSON.stringify(document);
  const names = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
    ([, name = ""]) => name,
  );
  const { components } = document as unknown as {
    components: { schemas: Record<string, unknown> };
  };
  expect([...new Set(names)].filter((name) => !(name in components.schemas))).toEqual([]);
});

/** A generator names a class by each component, and by the member that has an object or an enumeration of its own. */
test("no component is null itself, and no reference is made another schema by a description", () => {
  const { components } = document as unknown as {
    components: { schemas: Record<string, Form & { anyOf?: Form[] }> };
  };
  const nulls = Object.entries(components.schemas).filter(([, { type, anyOf = [] }]) =>
    [type, ...anyOf.map((form) => form.type)].flat().includes("null"),
  );
  expect(nulls.map(([name]) => name)).toEqual([]);
  expect(JSON.stringify(document)).not.toMatch(
    /"allOf":\[\{"\$ref":"[^"]*"\},\{"description":"[^"]*"\}\]/,
  );
});

test("no two schemas have one name: the second would be described as the first", async () => {
  const names: string[] = [];
  for await (const file of glob("{shared,broker}/**/*.ts"))
    for (const [, name = ""] of (await readFile(file, "utf8")).matchAll(/\.openapi\("(\w+)"\)/g))
      names.push(name);
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

import { html } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import type { Document, Operation } from "./document-shape.ts";
import { prose } from "./prose.ts";
import { constraints, membersTable, typeOf } from "./schema.ts";

type Html = HtmlEscapedString | Promise<HtmlEscapedString>;
type Answer = NonNullable<Operation["responses"]>[string];
type Entry = { readonly method: string; readonly path: string; readonly operation: Operation };

/** The whole reference as one page: readable without scripts, linkable, printable. */
export function referencePage(api: object): string {
  const document = api as Document; // the parts the generator always writes
  const groups = byTag(document);
  const schemas = Object.entries(document.components?.schemas ?? {});
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${document.info.title} API</title>
        <link rel="stylesheet" href="/docs/reference.css" />
      </head>
      <body>
        <nav aria-label="Contents">
          <a href="#top">${document.info.title} ${document.info.version}</a>
          ${groups.map(([tag, entries]) => navGroup(tag, entries))}
          <h2>Schemas</h2>
          <ul>
            ${schemas.map(([name]) => html`<li><a href="#schema-${name}">${name}</a></li>`)}
          </ul>
        </nav>
        <main id="top">
          <h1>${document.info.title} API</h1>
          <p>${document.info.description ?? ""}</p>
          <p><a href="/openapi.json">OpenAPI 3.1 document</a></p>
          ${introduction()} ${groups.map(([tag, entries]) => section(tag, entries))}
          <h2>Schemas</h2>
          ${schemas.map(
            ([name, schema]) =>
              html`<article id="schema-${name}">
                <h3>${name}</h3>
                ${membersTable(schema, name)}
              </article>`,
          )}
        </main>
      </body>
    </html>` as string; // no part is asynchronous, so the template's value is a string already
}

function byTag({ paths }: Document): [string, Entry[]][] {
  const entries = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const groups = Map.groupBy(entries, ({ operation }) => operation.tags?.[0] ?? "Other");
  return [...groups];
}

function navGroup(tag: string, entries: readonly Entry[]): Html {
  return html`<h2>${tag}</h2>
    <ul>
      ${entries.map(
        ({ operation }) =>
          html`<li>
            <a href="#${operation.operationId}">${operation.summary ?? operation.operationId}</a>
          </li>`,
      )}
    </ul>`;
}

function introduction(): Html {
  const statuses = [
    ["400", "bad-request", "The body is not valid JSON, is nested too deeply, or repeats a field."],
    ["401", "unauthorized", "The token is missing, unknown, expired or revoked."],
    ["403", "forbidden", "The token lacks the permission."],
    ["404", "not-found", "The object does not exist in this org."],
    [
      "405",
      "method-not-allowed",
      "The path does not support this method; the Allow header lists the ones it does.",
    ],
    ["409", "conflict", "The current state does not allow this; `code` says why."],
    ["412", "precondition-failed", "The version in If-Match is not the current one."],
    ["413", "payload-too-large", "The body is larger than this route accepts."],
    ["415", "unsupported-media-type", "The body is not sent as application/json."],
    [
      "422",
      "unprocessable-entity",
      "The request is invalid; `errors` lists each fault with a pointer.",
    ],
    ["423", "locked", "It is locked; the answer says by whom."],
    ["429", "too-many-requests", "Wait for Retry-After seconds."],
    ["503", "service-unavailable", "The broker or its database is unavailable. Try again later."],
  ] as const;
  return html`<h2 id="problems">Errors</h2>
    <p>
      Every error has the fields of RFC 9457, and <code>error</code>, <code>description</code>,
      <code>user_error</code> besides; <code>code</code> is meant for programs. It is sent as
      <code>application/json</code>, or as <code>application/problem+json</code> to clients that
      name that type in <code>Accept</code> (not on routes for runner clients).
    </p>
    <div class="scroll">
      <table>
        <tbody>
          ${statuses.map(
            ([status, id, meaning]) =>
              html`<tr id="${id}">
                <th scope="row">${status}</th>
                <td>${prose(meaning)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}

function section(tag: string, entries: readonly Entry[]): Html {
  return html`<section>
    <h2>${tag}</h2>
    ${entries.map(article)}
  </section>`;
}

function article({ method, path, operation }: Entry): Html {
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  const paragraphs = (operation.description ?? "").split("\n\n").filter((text) => text !== "");
  return html`<article id="${operation.operationId}">
    <h3>${operation.summary ?? operation.operationId}</h3>
    <div class="route">
      <span class="method ${method}">${method.toUpperCase()}</span><code>${path}</code>
    </div>
    ${paragraphs.map((text) => html`<p>${prose(text)}</p>`)} ${parameters(operation)}
    ${
      body === undefined
        ? ""
        : html`<h4>Body</h4>
            ${membersTable(body, "application/json")}`
    }
    <h4>Answers</h4>
    ${Object.entries(operation.responses ?? {})
      .filter(([status]) => status !== "default")
      .map(([status, response]) => answer(status, response))}
  </article>`;
}

/** A named schema is linked, any other is shown here. */
function answer(status: string, { description = "", content = {} }: Answer): Html {
  const schema = Object.values(content)[0]?.schema;
  const type = schema === undefined ? "" : typeOf(schema);
  const isInline = schema?.properties !== undefined || schema?.items?.properties !== undefined;
  return html`<p><code>${status}</code> ${description} ${isInline ? "" : type}</p>
    ${isInline && schema !== undefined ? membersTable(schema, "application/json") : ""}`;
}

function parameters({ parameters: all = [] }: Operation): Html {
  if (all.length === 0) return html``;
  const rows = all.map(
    ({ name, in: place, required, description, schema }) =>
      html`<tr>
        <td>
          <code>${name}</code> ${required === true ? html`<span class="must">required</span>` : ""}
        </td>
        <td>${place}</td>
        <td>${typeOf(schema)}</td>
        <td>${prose(description ?? schema?.description ?? "")} ${constraints(schema)}</td>
      </tr>`,
  );
  return html`<h4>Parameters</h4>
    <div class="scroll">
      <table>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>`;
}

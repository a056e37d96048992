import {
  getOpenApiDocumentRoute,
  getReferenceRoute,
  getReferenceStyleRoute,
} from "../../../shared/api/operations.ts";
import { setHeader } from "../../http/answer/set-header.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { openApiDocument } from "../../http/open-api-document.ts";
import { referencePage } from "../../http/reference/page.ts";
import { referenceStyle } from "../../http/reference/style.ts";

const policy =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** GET /openapi.json, GET /docs, GET /docs/reference.css; each is made once, when it is first asked for. */
export const readReference: RegisterRoutes = (app, broker) => {
  let document: ReturnType<typeof openApiDocument> | undefined;
  let page: string | undefined;

  app.openapi(getOpenApiDocumentRoute, (c) => {
    document ??= openApiDocument(app, broker);
    return c.json({ ...document }, 200);
  });

  app.openapi(getReferenceRoute, (c) => {
    document ??= openApiDocument(app, broker);
    page ??= referencePage(document);
    setHeader(c, "content-security-policy", policy);
    setHeader(c, "referrer-policy", "no-referrer");
    return c.html(page, 200);
  });

  app.openapi(getReferenceStyleRoute, (c) => {
    setHeader(c, "cache-control", "public, max-age=3600");
    return c.body(referenceStyle, 200, { "content-type": "text/css; charset=utf-8" });
  });
};

import {
  getOpenApi30DocumentRoute,
  getOpenApiDocumentRoute,
  getReferenceRoute,
  getReferenceStyleRoute,
} from "../../../shared/api/operations.ts";
import { setHeader } from "../../http/answer/set-header.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { openApiDocument } from "../../http/open-api-document.ts";
import { referenceBytes } from "../../http/reference/reference-bytes.ts";
import { referenceStyle } from "../../http/reference/style.ts";

const policy =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const asJson = { "content-type": "application/json" };

/** GET /openapi.json, GET /openapi-3.0.json, GET /docs, GET /docs/reference.css; each is made once, when it is first asked for. */
export const readReference: RegisterRoutes = (app, broker) => {
  const bytes = referenceBytes(() => openApiDocument(app, broker));

  app.handle(
    getOpenApiDocumentRoute,
    ({ c }) => c.body(bytes.document(), 200, asJson) as never, // bytes, whatever the contract shows
  );

  app.handle(
    getOpenApi30DocumentRoute,
    ({ c }) => c.body(bytes.document30(), 200, asJson) as never, // as above
  );

  app.handle(getReferenceRoute, ({ c }) => {
    setHeader(c, "content-security-policy", policy);
    setHeader(c, "referrer-policy", "no-referrer");
    return c.body(bytes.page(), 200, { "content-type": "text/html; charset=UTF-8" });
  });

  app.handle(getReferenceStyleRoute, ({ c }) => {
    setHeader(c, "cache-control", "public, max-age=3600");
    return c.body(referenceStyle, 200, { "content-type": "text/css; charset=utf-8" });
  });
};

import { timingSafeEqual } from "node:crypto";
import { getMetricsRoute } from "../../../shared/api/operations.ts";
import { problem } from "../../../shared/problem.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { pacedText } from "../../http/limits/paced-text.ts";
import { tokenDigest } from "../../tokens/token-secret.ts";

/** Whoever reaches the port may ask, and there are half a megabyte of them. */
const mostPerS = 2;

/** GET /metrics */
export const readMetrics: RegisterRoutes = (app, { config, metrics }) => {
  const text = pacedText(metrics.text, mostPerS);
  app.handle(getMetricsRoute, ({ c }) => {
    requireMetricsToken(config.metricsToken, c.req.header("authorization"));
    return c.text(text(), 200, {
      "content-type": "text/plain; version=0.0.4; charset=utf-8",
    });
  });
};

/** Digests are compared, so that the time taken tells nothing of the token. */
function requireMetricsToken(wanted: string | undefined, authorization: string | undefined): void {
  if (wanted === undefined) return;
  const isSame = timingSafeEqual(tokenDigest(`Bearer ${wanted}`), tokenDigest(authorization ?? ""));
  if (!isSame)
    throw problem.unauthenticated("Send the token of SVC_METRICS_TOKEN to read the metrics.");
}

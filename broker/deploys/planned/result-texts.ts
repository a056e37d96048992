import { z } from "zod";

const text = z.string().optional().catch(undefined);
const resultTexts = z.object({
  contents: text,
  contents_display: text,
  contents_gzip: text,
  contents_display_gzip: text,
});

/** What a job brought, as it is kept: what is packed is in base64. */
export type ResultTexts = z.infer<typeof resultTexts>;

/** Of the JSON that is kept; empty where it is something else. */
export function parseResultTexts(json: string): ResultTexts {
  return resultTexts.safeParse(parsedJson(json)).data ?? {};
}

/** The value of a JSON text; undefined of anything else. */
export function parsedJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

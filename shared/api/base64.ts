import { z } from "@hono/zod-openapi";

const shape = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Bytes in a request: the standard or the url alphabet, padded or not; read as standard and padded. */
export const base64Input = z
  .string()
  .transform((given, ctx) => {
    const bare = given.replaceAll(/[\r\n]/g, "");
    const body = bare.replace(/={1,2}$/, "");
    if (shape.test(bare) && body.length % 4 !== 1) return padded(body);
    ctx.addIssue({ code: "custom", params: { code: "invalid_base64" }, message: "Give base64." });
    return z.NEVER;
  })
  .openapi({ type: "string", description: "Base64, standard or url alphabet, padded or not." });

function padded(body: string): string {
  const standard = body.replaceAll("-", "+").replaceAll("_", "/");
  return standard + "=".repeat((4 - (standard.length % 4)) % 4);
}

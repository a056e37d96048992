const basic = /^basic +([A-Za-z0-9+/_-]+={0,2})$/i;
const longest = 2048;

/** The name and the password of an Authorization header in the form of HTTP Basic; undefined for any other. */
export function basicLogin(
  authorization: string | undefined,
): { readonly username: string; readonly password: string } | undefined {
  if (authorization === undefined || authorization.length > longest) return undefined;
  const pair = basic.exec(authorization)?.[1];
  if (pair === undefined) return undefined;
  const text = Buffer.from(pair, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return { username: text.slice(0, Math.max(colon, 0)), password: text.slice(colon + 1) };
}

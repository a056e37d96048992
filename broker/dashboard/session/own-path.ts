/** Only a path of this broker: never another site. */
export function ownPath(next: string | null): string {
  const base = "http://svc";
  if (next === null || !next.startsWith("/") || !URL.canParse(next, base)) return "/";
  const url = new URL(next, base);
  return url.origin === base ? url.pathname + url.search : "/";
}

/**
 * Only a path of this broker: never another site. What is answered is what was parsed, not what came; a path that begins with two
 * slashes, as that of `/.//host` does once its dots are resolved, would be read as the address of another host.
 */
export function ownPath(next: string | null): string {
  const base = "http://svc";
  if (next === null || !next.startsWith("/") || !URL.canParse(next, base)) return "/";
  const { origin, pathname, search } = new URL(next, base);
  return origin === base && !pathname.startsWith("//") ? pathname + search : "/";
}

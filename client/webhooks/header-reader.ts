/** The headers of a request, as the platform or Node's http has them. */
export type HeadersGiven =
  | { readonly get: (name: string) => string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Reads headers by their names in lower case; one that came several times is joined by spaces. */
export function headerReader(headers: HeadersGiven): (name: string) => string | undefined {
  if (typeof headers.get === "function") {
    const from = headers as { readonly get: (name: string) => string | null };
    return (name) => from.get(name) ?? undefined;
  }
  const byName = new Map(
    Object.entries(headers as Readonly<Record<string, string | readonly string[] | undefined>>).map(
      ([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value.join(" ") : value],
    ),
  );
  return (name) => byName.get(name) as string | undefined;
}

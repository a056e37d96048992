/** How a registry wants to be signed in to. */
export type Challenge = {
  readonly scheme: "basic" | "bearer";
  readonly realm: string;
  readonly service: string;
  readonly scope: string;
};

/** Reads a WWW-Authenticate header; a token goes before a password. Undefined where it asks for something else. */
export function readChallenge(header: string | null): Challenge | undefined {
  const found = [
    ...(header ?? "").matchAll(
      /(?:^|,)\s*(bearer|basic)\b((?:\s*,?\s*\w+\s*=\s*(?:"[^"]*"|[^\s",]+))*)/gi,
    ),
  ];
  const told = found.map(([, scheme = "", parameters = ""]) => {
    const all = [...parameters.matchAll(/(\w+)\s*=\s*(?:"([^"]*)"|([^\s",]+))/g)];
    const byName = new Map(
      all.map(([, name = "", quoted, bare]) => [name.toLowerCase(), quoted ?? bare ?? ""]),
    );
    const of = (name: string): string => byName.get(name) ?? "";
    const isBearer = scheme.toLowerCase() === "bearer";
    return {
      scheme: isBearer ? ("bearer" as const) : ("basic" as const),
      realm: of("realm"),
      service: of("service"),
      scope: of("scope"),
    };
  });
  return told.find(({ scheme }) => scheme === "bearer") ?? told[0];
}

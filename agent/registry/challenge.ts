/** The authentication that a registry asks for. */
export type Challenge = {
  readonly scheme: "basic" | "bearer";
  readonly realm: string;
  readonly service: string;
  readonly scope: string;
};

/** Parses a WWW-Authenticate header; bearer is preferred to basic. Undefined for other schemes. */
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

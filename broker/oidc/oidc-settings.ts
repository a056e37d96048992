import { readFileSync } from "node:fs";
import { z } from "zod";
import { OperatorError } from "../../shared/operator-error.ts";
import { words } from "../setting-schemas.ts";

/** The settings of a sign-in provider. */
export const oidcSettings = {
  SVC_OIDC_ISSUER: {
    schema: z
      .url({ abort: true, error: "must be a URL" })
      .refine(isSafe, "must be an https URL; http is for a provider on this host alone")
      .optional(),
    doc: "The issuer of an OpenID Connect provider that people sign in to the dashboard with. Default: none; people sign in with a token or a link.",
  },
  SVC_OIDC_CLIENT_ID: {
    schema: z.string().min(1).max(500).optional(),
    doc: "The broker's client id at the provider. Register PUBLIC_URL/sign-in/callback as its redirect URI.",
  },
  SVC_OIDC_CLIENT_SECRET_FILE: {
    schema: z.string().min(1).optional(),
    doc: "File with the client's secret. Default: none; the broker is a public client that PKCE alone protects.",
  },
  SVC_OIDC_SCOPES: {
    schema: words.default(["openid"]),
    doc: "The scopes that a sign-in asks for, between commas.",
  },
  SVC_OIDC_NAME: {
    schema: z.string().trim().min(1).max(60).optional(),
    doc: "What the sign-in page calls the provider. Default: the issuer's host.",
  },
} as const;

type Read = {
  readonly [Name in keyof typeof oidcSettings]: z.output<(typeof oidcSettings)[Name]["schema"]>;
} & { readonly SVC_PUBLIC_URL?: string | undefined };

/** A provider that people sign in with. */
export type OidcConfig = {
  readonly issuer: URL;
  readonly name: string;
  readonly clientId: string;
  /** Reads the client's secret, as it is in its file now; undefined for a public client. */
  readonly readSecret: () => string | undefined;
  readonly scope: string;
  readonly redirectUrl: string;
};

/** The provider, checked; undefined where there is none. */
export function oidcOf(read: Read): OidcConfig | undefined {
  const { SVC_OIDC_ISSUER: issuer, SVC_OIDC_CLIENT_ID: clientId, SVC_PUBLIC_URL: publicUrl } = read;
  const secretFile = read.SVC_OIDC_CLIENT_SECRET_FILE;
  if (issuer === undefined) {
    if (clientId === undefined && secretFile === undefined) return undefined;
    throw new OperatorError("Set SVC_OIDC_ISSUER, too: the issuer of the sign-in provider.");
  }
  if (clientId === undefined || publicUrl === undefined) {
    const lacking = clientId === undefined ? "SVC_OIDC_CLIENT_ID" : "SVC_PUBLIC_URL";
    throw new OperatorError(`SVC_OIDC_ISSUER requires ${lacking}.`);
  }
  const scopes = new Set(["openid", ...read.SVC_OIDC_SCOPES]);
  const readSecret = secretReader(secretFile);
  readSecret(); // a file that cannot be read is told at the start
  return {
    issuer: new URL(issuer),
    name: read.SVC_OIDC_NAME ?? new URL(issuer).host,
    clientId,
    readSecret,
    scope: [...scopes].join(" "),
    redirectUrl: `${publicUrl}/sign-in/callback`,
  };
}

function secretReader(file: string | undefined): OidcConfig["readSecret"] {
  if (file === undefined) return () => undefined;
  return () => {
    const secret = readText(file).trim();
    if (secret === "") throw new OperatorError(`SVC_OIDC_CLIENT_SECRET_FILE is empty: ${file}.`);
    return secret;
  };
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw new OperatorError(`SVC_OIDC_CLIENT_SECRET_FILE cannot be read: ${file} (${code}).`);
  }
}

/** What is sent in the clear leaves this host only over TLS. */
function isSafe(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

/** Whether it is a name of this very host. */
export const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);

/** Why a server's certificate is not taken: who signed it is unknown here, it is not of today, or it is another name's. */
export type CertificateFault = {
  readonly kind: "unknown-issuer" | "not-of-today" | "other-name" | "other";
  /** What it is, in a sentence that names the code of TLS, too. */
  readonly words: string;
};

const kinds: Readonly<Record<string, CertificateFault["kind"]>> = {
  SELF_SIGNED_CERT_IN_CHAIN: "unknown-issuer",
  DEPTH_ZERO_SELF_SIGNED_CERT: "unknown-issuer",
  UNABLE_TO_GET_ISSUER_CERT: "unknown-issuer",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "unknown-issuer",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "unknown-issuer",
  CERT_HAS_EXPIRED: "not-of-today",
  CERT_NOT_YET_VALID: "not-of-today",
  ERR_TLS_CERT_ALTNAME_INVALID: "other-name",
  CERT_REVOKED: "other",
  CERT_UNTRUSTED: "other",
  CERT_REJECTED: "other",
  CERT_SIGNATURE_FAILURE: "other",
  INVALID_CA: "other",
  INVALID_PURPOSE: "other",
};

/** The kind of a fault by the code that TLS gives; undefined for what is no certificate's fault. */
export function certificateFaultKind(code: string): CertificateFault["kind"] | undefined {
  return Object.hasOwn(kinds, code) ? kinds[code] : undefined;
}

/** What an error of a connection to this host says of its certificate, to who `caller` was; undefined where it says nothing of it. */
export function certificateFault(
  error: unknown,
  host: string,
  caller = "this machine",
): CertificateFault | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  const code = String(error.code);
  const kind = certificateFaultKind(code);
  if (kind === undefined) return undefined;
  return {
    kind,
    words: `The certificate of ${host} ${reasonOf(kind, { code, error, caller })} (${code}).`,
  };
}

function reasonOf(
  kind: CertificateFault["kind"],
  {
    code,
    error,
    caller,
  }: { readonly code: string; readonly error: object; readonly caller: string },
): string {
  if (kind === "unknown-issuer") return `is not trusted: ${caller} does not know who signed it`;
  if (kind === "not-of-today")
    return code === "CERT_HAS_EXPIRED" ? "has expired" : "is not valid yet";
  if (kind === "other") return "is not taken";
  const names = "cert" in error ? namesOf(error.cert) : "";
  return names === "" ? "is for another name" : `is for another name: ${names}`;
}

/** As TLS writes them: `DNS:localhost, IP Address:127.0.0.1`. */
function namesOf(certificate: unknown): string {
  if (typeof certificate !== "object" || certificate === null) return "";
  return "subjectaltname" in certificate ? String(certificate.subjectaltname) : "";
}

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import tls from "node:tls";
import { certificateFaultKind } from "../../shared/api/certificate-fault.ts";
import { type DoctorContext, failed, type Found, leftOut, ok, warning } from "./finding.ts";
import { openLine } from "./open-line.ts";

type Shown = {
  /** Node's code for an untrusted certificate; undefined when it is trusted. */
  readonly refusal: string | undefined;
  readonly certificate: tls.PeerCertificate;
};

const soonMs = 14 * 24 * 3_600_000;
/** Whether the broker's certificate is trusted, and who issued it: an unexpected issuer may intercept the traffic. */
export async function checkTls(context: DoctorContext): Promise<Found> {
  const { broker, config } = context;
  if (broker.protocol === "http:") return plain(broker);
  const usual = tls.getCACertificates("default");
  const own = config.caFile === undefined ? [] : [readFileSync(config.caFile, "utf8")];
  try {
    const shown = await shake(context, [...usual, ...own]);
    const issuer = nameOf(shown.certificate.issuer);
    if (shown.refusal !== undefined) return refused(shown.refusal, shown.certificate, broker);
    const isOnlyOurs = own.length > 0 && (await shake(context, usual)).refusal !== undefined;
    const whose = isOnlyOurs ? `${issuer}, trusted because of ca-file` : issuer;
    const endsAt = new Date(shown.certificate.valid_to);
    const words = `The certificate was issued by ${whose}, until ${endsAt.toISOString().slice(0, 10)}.`;
    return endsAt.getTime() - Date.now() < soonMs ? warning(words, "It ends soon.") : ok(words);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return failed(
      `${broker.host} does not speak TLS (${code ?? message}).`,
      "Check the port. A proxy may also break TLS.",
    );
  }
}

function plain({ hostname }: URL): Found {
  const isLoopback = /^(?:localhost|127\..*|\[::1\])$/.test(hostname);
  if (isLoopback) return leftOut("broker-url is http on this host.");
  return warning(
    "broker-url is http: token, plans and logs travel in the clear.",
    "Use https, except in a network of your own.",
  );
}

async function shake(context: DoctorContext, ca: string[]): Promise<Shown> {
  const { hostname } = context.broker;
  const socket = tls.connect({
    socket: await openLine(context),
    ...(isIP(hostname) === 0 && { servername: hostname }),
    host: hostname,
    ca,
    rejectUnauthorized: false, // only to inspect the certificate; nothing is sent
  });
  try {
    await once(socket, "secureConnect", { signal: AbortSignal.timeout(context.patienceMs) });
    const { authorizationError, authorized } = socket;
    const refusal = authorized ? undefined : codeOf(authorizationError);
    return { refusal, certificate: socket.getPeerCertificate(true) };
  } finally {
    socket.destroy();
  }
}

/** Typed as an error, but often only a code. */
function codeOf(refusal: Error | string | null): string {
  if (refusal === null) return "unknown";
  if (typeof refusal === "string") return refusal;
  return (refusal as NodeJS.ErrnoException).code ?? refusal.message;
}

function refused(code: string, certificate: tls.PeerCertificate, broker: URL): Found {
  const issuer = nameOf(certificate.issuer);
  const kind = certificateFaultKind(code);
  if (kind === "unknown-issuer") {
    return failed(
      `The certificate of ${broker.hostname} was issued by ${issuer}, which this host does not trust (${code}).`,
      `If that is your company, which reads TLS, or your own CA: give its certificate with ca-file. Otherwise someone intercepts the connection.`,
    );
  }
  if (kind === "not-of-today") {
    return failed(
      `The certificate of ${broker.hostname} (by ${issuer}) is good from ${certificate.valid_from} to ${certificate.valid_to}, not now (${code}).`,
      "Renew it, or correct this host's clock.",
    );
  }
  if (kind === "other-name") {
    const names = certificate.subjectaltname ?? nameOf(certificate.subject);
    return failed(
      `The certificate (by ${issuer}) is for ${names}, not for ${broker.hostname}.`,
      "Check the spelling of broker-url.",
    );
  }
  return failed(`The certificate, by ${issuer}, is not trusted (${code}).`);
}

function nameOf(subject: tls.Certificate): string {
  const { CN, O } = subject;
  const words = [CN, O].flat().filter((word) => word !== undefined && word !== "");
  return words.length === 0 ? "an unknown issuer" : `"${[...new Set(words)].join(", ")}"`;
}

/** Codes of the distribution spec, each with its status. */
const statuses = {
  BLOB_UNKNOWN: 404,
  BLOB_UPLOAD_INVALID: 400,
  BLOB_UPLOAD_UNKNOWN: 404,
  DENIED: 507, // the disk
  DIGEST_INVALID: 400,
  MANIFEST_BLOB_UNKNOWN: 400,
  MANIFEST_INVALID: 400,
  MANIFEST_UNKNOWN: 404,
  NAME_INVALID: 400,
  NAME_UNKNOWN: 404,
  SIZE_INVALID: 413,
  TAG_INVALID: 400,
  TOOMANYREQUESTS: 429,
  UNAUTHORIZED: 401,
  UNAVAILABLE: 503,
  UNSUPPORTED: 405,
} as const;
type ErrorCode = keyof typeof statuses;

/** A refusal as the distribution spec words it. */
export class RegistryError extends Error {
  override readonly name = "RegistryError";
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string,
    { status, headers = {} }: { status?: number; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.code = code;
    this.status = status ?? statuses[code];
    this.headers = headers;
  }
}

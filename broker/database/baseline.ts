/**
 * The first numbered files: tables and types as 0001 to 0057 left them, in an order to read. A new database begins with
 * them. One that stands at 0057 has all that they make: there they are only written down (docs/decisions/0018-sql-with-a-present.md).
 */
export const baseline = {
  first: "0058-identity",
  last: "0067-function-types",
  past: {
    last: "0057-unheld-returns",
    /** SHA-256 of the lines "name checksum" of those 57 files. */
    digest: "41a5136240630153e010d9c2068aef4be538467e8d0cd02d6b05f6392e0a6302",
    /** The last version that has them. */
    version: "svc 0.1.0 at commit 549264b",
  },
} as const;

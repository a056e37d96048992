/** What clouds and clusters say of a permission that somebody lacks; the groups are the permission's parts. */
const sayings: readonly RegExp[] = [
  /is not authorized to perform: ([\w*-]+:[\w*]+)/, // AWS
  /\b(?:AccessDenied|AccessDeniedException|UnauthorizedOperation)\b/,
  /Permission '?([a-z]\w*(?:\.\w+)+)'? denied/i, // Google Cloud
  /Required '?([a-z]\w*(?:\.\w+)+)'? permission/i,
  /does not have authorization to perform action '([^'\s]{1,200})'/, // Azure
  /\bAuthorizationFailed\b/,
  /is forbidden: User "[^"\n]{1,253}" cannot (\w+) resource "([^"\n]{1,253})"/, // Kubernetes
];

/** The permission that a message says is missing, empty where it does not name it; undefined where it says nothing of one. */
export function missingPermission(message: string): string | undefined {
  for (const saying of sayings) {
    const [found, ...parts] = saying.exec(message) ?? [];
    if (found !== undefined) return parts.join(" ");
  }
  return undefined;
}

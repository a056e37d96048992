/** Whether a member of a plan says anything: control planes write out what is empty, too. */
export function isGiven(member: unknown): boolean {
  if (typeof member !== "object" || member === null) return Boolean(member);
  return Object.values(member).some(isGiven);
}

/** Why a policy could not be evaluated, which is no consent: a sentence. */
export class PolicyUnavailable extends Error {
  override readonly name = "PolicyUnavailable";
}

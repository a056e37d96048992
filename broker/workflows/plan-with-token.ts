const variables = '"builtin_env_vars":{';
const secrets = '"secrets":[';

/**
 * A plan that was rendered or approved, and the token of its run, which agents hide in logs. It is put into the text: a plan may
 * be long. No text within a plan looks like a member, because its quotes are escaped; and no other member is a map or list of that name.
 */
export function planWithToken(text: string, token: string): string {
  const shown = JSON.stringify(token);
  const withVariable = insert(text, variables, `"SVC_API_TOKEN":${shown}`);
  if (withVariable === undefined) throw new Error("a plan of an action has no variables");
  const withSecret = insert(withVariable, secrets, shown);
  return withSecret ?? `{${secrets}${shown}],${withVariable.slice(1)}`;
}

/** The text with another first member, or element, of what begins so; undefined where nothing does. */
function insert(text: string, begin: string, first: string): string | undefined {
  const at = text.indexOf(begin);
  if (at === -1) return undefined;
  const from = at + begin.length;
  const isEmpty = /[\]}]/.test(text.charAt(from));
  return `${text.slice(0, from)}${first}${isEmpty ? "" : ","}${text.slice(from)}`;
}

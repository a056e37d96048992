const mostLength = 2048;
/** Parameters by which servers let in who has the URL. */
const secretParameter =
  /signature|credential|token|secret|password|api[-_]?key|^(?:sig|sign|key|auth)$/i;

/** A URL from which a text of a config may come; else why not, in words that follow what it is called. */
export function checkTextUrl(text: string): URL | string {
  if (text.length > mostLength) return `has more than ${mostLength} characters`;
  if (/[\s\\\p{Cc}]/u.test(text) || !URL.canParse(text)) return "is no URL";
  const url = new URL(text);
  if (url.protocol !== "https:") return "must begin with https://";
  if (url.username !== "" || url.password !== "" || /^[^/]+\/\/[^/?#]*@/.test(text))
    return "must have no user name and no password: the config is read by many";
  if (url.hash !== "") return "must have no fragment: the text of a URL is all of it";
  const secret = [...url.searchParams.keys()].find((name) => secretParameter.test(name));
  if (secret === undefined) return url;
  return `must have no credential: its parameter ${secret} looks like one, and the config is read by many`;
}

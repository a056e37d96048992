/** A browser's cookies of one site, and the way it follows redirects there. */
export type ProviderVisit = {
  /** Signs in as this name at the provider; answers where it sends the browser back to. */
  readonly signIn: (authorizationUrl: string, name: string) => Promise<string>;
};

const mostSteps = 12;

/** A visit of the provider's own pages: it types a name into its form. */
export function visitProvider(issuer: string): ProviderVisit {
  const cookies = new Map<string, string>();

  async function go(url: string, form?: Record<string, string>): Promise<Response> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie },
      ...(form && { method: "POST", body: new URLSearchParams(form) }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ""] = set.split(";");
      const at = pair.indexOf("=");
      if (at + 1 === pair.length) cookies.delete(pair.slice(0, at));
      else cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }

  return {
    async signIn(authorizationUrl, name) {
      let response = await go(authorizationUrl);
      for (let step = 0; step < mostSteps; step += 1) {
        const location = response.headers.get("location");
        if (location !== null) {
          const next = new URL(location, issuer);
          if (next.origin !== issuer) return next.href;
          response = await go(next.href);
          continue;
        }
        if (response.status !== 200)
          throw new Error(`The provider answered ${response.status}: ${await response.text()}`);
        response = await go(response.url, { login: name });
      }
      throw new Error("The provider never sent the browser back.");
    },
  };
}

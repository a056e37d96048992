/** At which URL clients reach this broker: as the settings say, else where it listens; never what a request says. */
export type PublicUrl = {
  /** Without a slash at its end; throws before the broker listens. */
  readonly read: () => string;
  readonly listensAt: (url: string) => void;
};

/** The URL of the settings, if they have one. */
export function makePublicUrl(configured: string | undefined): PublicUrl {
  let known = configured;
  return {
    read() {
      if (known === undefined) throw new Error("the broker does not listen yet");
      return known.replace(/\/+$/, "");
    },
    listensAt(url) {
      known ??= url;
    },
  };
}

import type { Screen } from "../screen.ts";

type Enrolment = {
  readonly url: string;
  readonly runner: { readonly id: string; readonly name: string };
  readonly token: { readonly secret: string; readonly expires_at: string | null };
};

/** Shows a one-time token with the line that starts an agent by it; the token goes in by standard input. */
export function showEnrolment(screen: Screen, { url, runner, token }: Enrolment): void {
  if (screen.format === "name") screen.out(runner.id);
  else if (screen.format !== "table") {
    screen.out(JSON.stringify({ runner, enrolment_token: token }));
  } else {
    screen.out(`runner  ${runner.id}  ${runner.name}`);
    screen.out(`token   ${token.secret}  (once, until ${token.expires_at ?? "it is used"})`);
    screen.out("\nStart its agent with:");
    screen.out(`  printf %s ${token.secret} | svc agent --broker-url ${url} --enrol-token-file -`);
  }
}

import { createSignInLinkRoute } from "../../shared/api/create-sign-in-link.ts";
import { defineCommand } from "../command.ts";

export const openDashboard = defineCommand({
  name: "dashboard",
  summary: "Print a link that signs your browser in to the dashboard, once.",
  details:
    "Whoever first presses the button of its page, within a quarter of an hour, acts with your token's permissions: do not share it.",
  examples: [
    { does: "Print a link.", run: "svc dashboard" },
    { does: "Open it at once.", run: 'xdg-open "$(svc dashboard)"' },
  ],
  run: async ({ connect, call, screen }) => {
    const { url } = await connect();
    const { body } = await call(createSignInLinkRoute, {});
    screen.out(`${url}${body.path}`);
    screen.say("It can be used once, within a quarter of an hour.");
  },
});

import type { Command } from "../command.ts";
import { listenWebhook } from "./listen-webhook.ts";
import { createWebhook, deleteWebhook, updateWebhook } from "./manage-webhook.ts";
import {
  getDelivery,
  getWebhook,
  listDeliveries,
  listWebhooks,
  pingWebhook,
  resendDeliveries,
} from "./read-webhooks.ts";
import { triggerWebhook } from "./trigger-webhook.ts";

/** The commands of webhooks, in the order of help. */
export const webhookCommands: readonly Command[] = [
  createWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  pingWebhook,
  listDeliveries,
  getDelivery,
  resendDeliveries,
  listenWebhook,
  triggerWebhook,
];

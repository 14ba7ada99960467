import { Webhook } from 'standardwebhooks';
import type { CrmSettingsOf } from '../config/settings.ts';
import { ResponseError, type FailureResult } from '../outbound/delivery-error.ts';
import { fail, pass } from '../monitoring/check.ts';
import { classifyResponse } from '../outbound/classify-response.ts';
import { isSuccess, type OutboundResponse, type OutboundClient } from '../outbound/outbound-client.ts';
import type { CrmProvider } from './crm-provider.ts';
import { readObstacle, refuse, runChecksInOrder, type CrmCheckOutcome } from './crm-checks.ts';

const resultsByStatus: Readonly<Record<number, FailureResult>> = {
  // Receivers such as n8n respond with this status while a workflow is switched off or replaced.
  404: 'retry',
  // The receiver no longer accepts messages, so an operator must set a different address.
  410: 'paused',
};

function classifyRefusal(response: OutboundResponse): ResponseError {
  const { status, result, reason, kindWaitsMs } = classifyResponse('webhook', response);

  return new ResponseError(status, resultsByStatus[status] ?? result, reason, { kindWaitsMs });
}

/** Status 409 means that the receiver already has this message from an earlier attempt. */
const isAccepted = (response: OutboundResponse) => isSuccess(response) || response.status === 409;

interface WebhookEvent {
  /** The same for every attempt, so the receiver can recognize a repeat. */
  readonly id: string;
  readonly type: string;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly data: object;
}

function explainResponse(response: OutboundResponse): CrmCheckOutcome {
  const { status } = response;
  if (isAccepted(response)) return pass('It accepted a signed test event.');
  if (status === 401 || status === 403) {
    return refuse(
      `It rejects the signature or the sender (${status}); is CRM_WEBHOOK_SECRET the same on both sides?`,
    );
  }
  if (status === 410) return refuse('It no longer accepts messages (410); set a different CRM_WEBHOOK_URL.');

  return {
    ...fail(`It responded with status ${status} instead of 2xx.`),
    ...readObstacle(classifyRefusal(response)),
  };
}

function createPost({ url, secret }: CrmSettingsOf<'webhook'>, client: OutboundClient) {
  const webhook = new Webhook(secret);

  return ({ id, ...event }: WebhookEvent, signal: AbortSignal) => {
    const body = JSON.stringify(event);
    // Sign with the time of this attempt, because receivers reject old signatures.
    const now = new Date();

    return client.call({
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': webhook.sign(id, now, body),
      },
      body,
      signal,
    });
  };
}

function makeTestEvent(now: Date): WebhookEvent {
  return { id: `test_${now.getTime()}`, type: 'endpoint.test', timestamp: now.toISOString(), data: {} };
}

/** Posts every lead as a signed `lead.created` event (https://www.standardwebhooks.com, version 1.0). */
export function createWebhookProvider(settings: CrmSettingsOf<'webhook'>, client: OutboundClient): CrmProvider {
  const post = createPost(settings, client);

  return {
    exportRecord: async (record, { deliveryId, signal }) => {
      const id = `lead_${deliveryId}`;
      const event = { id, type: 'lead.created', timestamp: record.received_at, data: record };
      const response = await post(event, signal);
      if (!isAccepted(response)) throw classifyRefusal(response);

      return id;
    },
    test: (signal) => {
      const sendTestEvent = async () => explainResponse(await post(makeTestEvent(new Date()), signal));

      return runChecksInOrder([{ name: 'receiver', run: sendTestEvent }], () => undefined);
    },
  };
}

import { createHash } from 'node:crypto';
import type { Config } from '../../shared/node/config/config.ts';
import type { Database } from '../../shared/node/database.ts';
import type { ClaimedDelivery } from '../../shared/node/deliveries/delivery-store.ts';
import { forgetRemoteSteps, recordRemoteStep } from '../../shared/node/deliveries/remote-steps.ts';
import { runInTurn } from '../../shared/node/run-alone.ts';
import { DeliveryError } from '../deliveries/delivery-error.ts';
import { loadSubmission } from '../deliveries/load-submission.ts';
import type { Effect } from '../deliveries/run-delivery.ts';
import type { OutboundClient } from '../outbound/outbound-client.ts';
import { makeCrmRecord, type CrmProvider, type RemoteSteps } from './crm-provider.ts';
import { createFileProvider } from './file-provider.ts';
import { createHubspotProvider } from './hubspot/hubspot-provider.ts';
import { createOdooProvider } from './odoo/odoo-provider.ts';
import { createPipedriveProvider } from './pipedrive/pipedrive-provider.ts';
import { makeObstacleCheck } from './obstacle-check.ts';
import { createSalesforceProvider } from './salesforce/salesforce-provider.ts';
import { createWebhookProvider } from './webhook-provider.ts';

/** The configured CRM; undefined when exporting is switched off. */
export function createCrmProvider(
  crm: Config['crm'],
  client: OutboundClient,
): CrmProvider | undefined {
  switch (crm.provider) {
    case 'file':
      return createFileProvider(crm.directory);
    case 'webhook':
      return createWebhookProvider(crm, client);
    case 'hubspot':
      return createHubspotProvider(crm, client);
    case 'salesforce':
      return createSalesforceProvider(crm, client);
    case 'pipedrive':
      return createPipedriveProvider(crm, client);
    case 'odoo':
      return createOdooProvider(crm, client);
    case 'none':
      return undefined;
  }
}

/**
 * A name for the account exported to: what steps made in one means nothing in another, where the
 * same id may be another person's. Of a token it tells 32 bits of a hash, which is of no use.
 */
function nameAccount(crm: Config['crm']): string {
  const hash = createHash('sha256').update(JSON.stringify(crm)).digest('hex');

  return `${crm.provider}-${hash.slice(0, 8)}`;
}

function makeRemoteSteps(
  database: Database,
  delivery: ClaimedDelivery,
  account: string,
): RemoteSteps {
  const done = new Map(Object.entries(delivery.remoteSteps));

  return {
    get: (step) => done.get(`${account}:${step}`),
    record: async (name, remoteId) => {
      const step = `${account}:${name}`;
      done.set(step, remoteId);
      if (!(await recordRemoteStep(database, delivery, { step, remoteId }))) {
        throw new DeliveryError('retry', 'lease-lost');
      }
    },
  };
}

/** Makes the effect of an export delivery. */
export function makeCrmExportEffect(
  database: Database,
  crm: Config['crm'],
  client: OutboundClient,
): Effect {
  const provider = createCrmProvider(crm, client);
  const account = nameAccount(crm);
  const findObstacles = provider && makeObstacleCheck(provider);

  /** What a failed try means once it is known whether others would fail as well. */
  const judgeFailure = async (error: unknown, delivery: ClaimedDelivery, hasSteps: boolean) => {
    if (!(error instanceof DeliveryError)) return error;
    const { verdict, reason, kindWaitsMs } = error;
    const retry = () => new DeliveryError('retry', reason, { cause: error, waitsMs: kindWaitsMs });
    // A firewall before a CRM may answer a word of one message as others answer wrong credentials or
    // too many calls, and anybody can send that word.
    if (verdict === 'paused' || kindWaitsMs !== undefined) {
      const obstacles = await findObstacles?.();
      const isForAll = obstacles?.isRefused || (verdict === 'retry' && obstacles?.isLimited);

      return isForAll ? error : retry();
    }
    if (verdict !== 'dead' || !hasSteps) return error;
    // It may be refused for a record of an earlier try, which sales has deleted or merged since.
    await forgetRemoteSteps(database, delivery);

    return retry();
  };

  return async (delivery, signal) => {
    const submission = await loadSubmission(database, delivery);
    // Such exports are not claimed; but another worker may have other settings.
    if (!provider) throw new DeliveryError('paused', 'crm-switched-off');
    const hasSteps = Object.keys(delivery.remoteSteps).length > 0;

    try {
      const remoteRef = await provider.exportRecord(makeCrmRecord(submission), {
        deliveryId: delivery.id,
        // A paused try isn't counted, and may have made something.
        attempt: hasSteps ? Math.max(2, delivery.attempts) : delivery.attempts,
        steps: makeRemoteSteps(database, delivery, account),
        lastFailure: delivery.lastError,
        runAlone: (key, work) => runInTurn(database, key, work),
        signal,
      });

      return { remoteRef, deferred: [] };
    } catch (error) {
      throw await judgeFailure(error, delivery, hasSteps);
    }
  };
}

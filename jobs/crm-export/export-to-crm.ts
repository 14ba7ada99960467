import type { Config } from '../../shared/node/config/config.ts';
import type { Database } from '../../shared/node/database.ts';
import { recordRemoteStep, type ClaimedDelivery } from '../../shared/node/deliveries/delivery-store.ts';
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

function makeRemoteSteps(database: Database, delivery: ClaimedDelivery): RemoteSteps {
  const done = new Map(Object.entries(delivery.remoteSteps));

  return {
    get: (step) => done.get(step),
    record: async (step, remoteId) => {
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
  provider: CrmProvider | undefined,
): Effect {
  return async (delivery, signal) => {
    const submission = await loadSubmission(database, delivery);
    if (!provider) throw new DeliveryError('cancelled', 'crm-switched-off');

    return provider.exportRecord(makeCrmRecord(submission), {
      deliveryId: delivery.id,
      attempt: delivery.attempts,
      steps: makeRemoteSteps(database, delivery),
      runAlone: (key, work) => runInTurn(database, key, work),
      signal,
    });
  };
}

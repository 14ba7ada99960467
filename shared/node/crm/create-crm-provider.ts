import type { Config } from '../config/config.ts';
import type { OutboundClient } from '../outbound/outbound-client.ts';
import type { CrmProvider } from './crm-provider.ts';
import { createEspocrmProvider } from './espocrm.ts';
import { createFileProvider } from './file-provider.ts';
import { createHubspotProvider } from './hubspot.ts';
import { createOdooProvider } from './odoo.ts';
import { createPipedriveProvider } from './pipedrive.ts';
import { createSalesforceProvider } from './salesforce.ts';
import { createTwentyProvider } from './twenty.ts';
import { createWebhookProvider } from './webhook-provider.ts';

/** Returns the configured CRM; undefined if exports are switched off. CONTRIBUTING.md explains how to add a CRM. */
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
    case 'espocrm':
      return createEspocrmProvider(crm, client);
    case 'twenty':
      return createTwentyProvider(crm, client);
    case 'none':
      return undefined;
  }
}

import type { Config } from '../config/config.ts';
import type { OutboundClient } from '../outbound/outbound-client.ts';
import type { CrmProvider } from './crm-provider.ts';
import { createEspocrmProvider } from './espocrm/espocrm-provider.ts';
import { createFileProvider } from './file-provider.ts';
import { createHubspotProvider } from './hubspot/hubspot-provider.ts';
import { createOdooProvider } from './odoo/odoo-provider.ts';
import { createPipedriveProvider } from './pipedrive/pipedrive-provider.ts';
import { createSalesforceProvider } from './salesforce/salesforce-provider.ts';
import { createTwentyProvider } from './twenty/twenty-provider.ts';
import { createWebhookProvider } from './webhook-provider.ts';

/** The configured CRM; undefined when exporting is switched off. How to add one: CONTRIBUTING.md, 'Adding a CRM'. */
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
